#include "arguments.h"

#include <math.h>
#include <string.h>

#include "constants.h"
#include "readings.h"

Outcome doubt_or_failure(void) {
  if (!PyErr_ExceptionMatches(PyExc_Exception)) return FAILED;
  PyErr_Clear();
  return DOUBT;
}

/* Whether an answer, whose reference is taken, is False. */
static Outcome is_false(PyObject *answer) {
  if (!answer) return doubt_or_failure();
  Outcome outcome = answer == Py_False ? READ : DOUBT;
  Py_DECREF(answer);
  return outcome;
}

static Outcome check_answers(const Argument *argument, PyObject *tensor) {
  for (int i = 0; i < argument->never_count; i++) {
    Outcome outcome = is_false(PyObject_CallMethodObjArgs(tensor, argument->never[i], NULL));
    if (outcome != READ) return outcome;
  }
  for (int i = 0; i < argument->never_written_count; i++) {
    Outcome outcome = is_false(PyObject_GetAttr(tensor, argument->never_written[i]));
    if (outcome != READ) return outcome;
  }
  return READ;
}

static uint32_t dtype_word(unsigned code, unsigned bits, unsigned lanes) { return code << 24 | bits << 16 | lanes; }

static int is_shared(const Argument *argument, uint32_t dtype) {
  for (int i = 0; i < argument->shared_count; i++)
    if (argument->shared[i] == dtype) return 1;
  return 0;
}

/* The answers are C's bool, of which the ABI defines the lowest byte. */
static Outcome check_probes(const Argument *argument) {
  for (int i = 0; i < argument->probe_count; i++)
    if (argument->probes[i].function(argument->probes[i].argument) & 0xff) return DOUBT;
  return READ;
}

/* The word that tells tensors apart, in place of one of a kind that the exchange API must not be asked about. */
static Outcome read_state(const Argument *argument, PyObject *tensor, uint64_t *word) {
  const char *state;
  if (!argument->has_state) return READ;
  memcpy(&state, (const char *)tensor + argument->state_address, sizeof state);
  if (!state) return DOUBT;
  memcpy(word, state + argument->state_word, sizeof *word);
  return *word & argument->state_refused ? DOUBT : READ;
}

static Outcome read_exchange(const Argument *argument, PyObject *tensor, Reading *reading, uint64_t *out,
                             PyObject *identities) {
  DlTensor found;
  uint64_t state = 0;
  Outcome outcome = check_probes(argument);
  if (outcome == READ) outcome = read_state(argument, tensor, &state);
  if (outcome == READ) outcome = check_answers(argument, tensor);
  if (outcome != READ) return outcome;
  if (argument->tensor_from_object(tensor, &found)) return PyErr_Occurred() ? doubt_or_failure() : DOUBT;
  uint32_t dtype = dtype_word(found.code, found.bits, found.lanes), ndim = (uint32_t)found.ndim;
  if (!found.data || found.ndim < 0 || ndim > MOST_WORDS || (ndim && (!found.shape || !found.strides))) return DOUBT;
  *out = (uint64_t)(uintptr_t)found.data + found.byte_offset;
  uint64_t head[3] = {(uint64_t)dtype << 32 | ndim,
                      (uint64_t)(uint32_t)found.device_kind << 32 | (uint32_t)found.device_ordinal, state};
  outcome = add_words(reading, head, 3);
  if (outcome == READ) outcome = add_words(reading, found.shape, ndim);
  if (outcome == READ) outcome = add_words(reading, found.strides, ndim);
  if (outcome != READ || !is_shared(argument, dtype)) return outcome;
  PyObject *own = PyObject_GetAttr(tensor, argument->dtype);
  if (!own) return doubt_or_failure();
  outcome = add_identity(reading, own, identities);
  Py_DECREF(own);
  return outcome;
}

static Outcome read_header(const Header *header, PyObject *array, Reading *reading, uint64_t *out,
                           PyObject *identities) {
  const char *object = (const char *)array;
  int32_t ndim, flags;
  void *data, *shape, *strides;
  PyObject *dtype;
  memcpy(&data, object + header->data, sizeof data);
  memcpy(&ndim, object + header->ndim, sizeof ndim);
  memcpy(&shape, object + header->shape, sizeof shape);
  memcpy(&strides, object + header->strides, sizeof strides);
  memcpy(&dtype, object + header->dtype, sizeof dtype);
  memcpy(&flags, object + header->flags, sizeof flags);
  if (!data || !dtype || ndim < 0 || ndim > MOST_WORDS || (ndim && (!shape || !strides))) return DOUBT;
  *out = (uint64_t)(uintptr_t)data;
  Outcome outcome = add_word(reading, (uint64_t)ndim << 32 | ((uint32_t)flags & header->mask));
  if (outcome == READ) outcome = add_words(reading, shape, (uint32_t)ndim);
  if (outcome == READ) outcome = add_words(reading, strides, (uint32_t)ndim);
  return outcome == READ ? add_identity(reading, dtype, identities) : outcome;
}

/* 1 when an integer of Python is in `value`, as two's complement; 0 when it has more than 64 bits. */
static int integer_bits(PyObject *number, int64_t *value, int *is_large) {
  int overflow;
  *value = PyLong_AsLongLongAndOverflow(number, &overflow);
  *is_large = overflow > 0;
  if (overflow > 0) {
    *value = (int64_t)PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred()) return 0;
  }
  return overflow >= 0;
}

static Outcome read_integer(char letter, PyObject *number, Reading *reading, uint64_t *out) {
  static const char letters[] = "bBhHiIqQ";
  int64_t value;
  int is_large;
  if (!PyLong_CheckExact(number) && !PyBool_Check(number)) return DOUBT;
  if (!integer_bits(number, &value, &is_large)) {
    PyErr_Clear();
    return DOUBT;
  }
  if (letter == 'n') { /* without an annotation it is an Int32, or an Int64 when it needs one */
    letter = !is_large && value == (int32_t)value ? 'i' : 'q';
    if (add_word(reading, letter == 'i') != READ) return DOUBT;
  }
  const char *found = strchr(letters, letter);
  if (!found) return DOUBT;
  int bits = 8 << (found - letters) / 2, is_unsigned = (found - letters) % 2;
  if (is_unsigned ? !is_large && value < 0 : is_large) return DOUBT;
  uint64_t low = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  if (is_unsigned && (uint64_t)value > low) return DOUBT;
  if (!is_unsigned && bits < 64 && (value >> (bits - 1)) != 0 && (value >> (bits - 1)) != -1) return DOUBT;
  *out = (uint64_t)value & low;
  return READ;
}

static Outcome read_float(char letter, PyObject *number, uint64_t *out) {
  if (!PyFloat_CheckExact(number) && !PyLong_CheckExact(number) && !PyBool_Check(number)) return DOUBT;
  double value = PyFloat_AsDouble(number);
  if (value == -1.0 && PyErr_Occurred()) return doubt_or_failure();
  *out = 0;
  if (letter == 'd') {
    memcpy(out, &value, sizeof value);
    return READ;
  }
  float narrow = (float)value;
  if (isinf(narrow) && !isinf(value)) return DOUBT;
  memcpy(out, &narrow, sizeof narrow);
  return READ;
}

static Outcome read_number(char letter, PyObject *number, Reading *reading, uint64_t *out) {
  if (letter == 'f' || letter == 'd') return read_float(letter, number, out);
  if (letter != '?') return read_integer(letter, number, reading, out);
  if (!PyFloat_CheckExact(number) && !PyLong_CheckExact(number) && !PyBool_Check(number)) return DOUBT;
  *out = PyObject_IsTrue(number) == 1;
  return READ;
}

static Outcome read_stream(const Argument *argument, PyObject *stream, Reading *reading, uint64_t *out) {
  PyObject *handle = PyObject_CallFunctionObjArgs(argument->handle, stream, NULL);
  if (!handle) return doubt_or_failure();
  *out = PyLong_AsUnsignedLongLong(handle);
  Py_DECREF(handle);
  if (PyErr_Occurred()) return doubt_or_failure();
  if (!reading->stream) reading->stream = *out;
  return READ;
}

Outcome argument_read(const Argument *argument, PyObject *value, Reading *reading, uint64_t *out,
                      PyObject *identities) {
  if (argument->type && (PyObject *)Py_TYPE(value) != argument->type) return DOUBT;
  *out = 0;
  switch (argument->kind) {
  case EXCHANGE: return read_exchange(argument, value, reading, out, identities);
  case HEADER: return read_header(&argument->header, value, reading, out, identities);
  case NUMBER: return read_number(argument->letter, value, reading, out);
  case CONSTANT: return constant_read(value, argument->records, reading, identities);
  case STREAM: return read_stream(argument, value, reading, out);
  case NO_STREAM: return READ;
  }
  return DOUBT;
}
