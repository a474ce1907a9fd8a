/* Arguments of a site from their descriptions in Python. */
#include "arguments.h"

#include <string.h>

#define MOST_OFFSET 4096

const DlExchange *exchange_of(PyObject *capsule) {
  const DlExchangeHeader *header = PyCapsule_GetPointer(capsule, FLY_DLPACK_CAPSULE);
  if (!header) return NULL;
  while (header && header->major != FLY_DLPACK_MAJOR) header = header->previous;
  if (!header) PyErr_SetString(PyExc_ValueError, "the exchange API is not of DLPack 1");
  return (const DlExchange *)header;
}

/* The function of an exchange API that describes tensors, or null with an exception. */
static DlTensorFromObject describing_function(PyObject *capsule) {
  const DlExchange *exchange = exchange_of(capsule);
  if (!exchange) return NULL;
  if (!exchange->tensor_from_object) PyErr_SetString(PyExc_ValueError, "the exchange API describes no tensors");
  return exchange->tensor_from_object;
}

/* The items of a tuple of strings: how many, or -1 with an exception. */
static int names_from(PyObject *names, PyObject **out) {
  Py_ssize_t count = PyTuple_Size(names);
  if (count < 0) return -1;
  if (count > MOST_NAMES) {
    PyErr_SetString(PyExc_ValueError, "too many names");
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    out[i] = PyTuple_GetItem(names, i);
    if (!PyUnicode_Check(out[i])) {
      PyErr_SetString(PyExc_TypeError, "names are strings");
      return -1;
    }
  }
  return (int)count;
}

/* 0 when the fields of an object may be at these offsets, else -1 with an exception. */
static int check_offsets(const int *offsets, int count) {
  for (int i = 0; i < count; i++)
    if (offsets[i] < 0 || offsets[i] > MOST_OFFSET) {
      PyErr_Format(PyExc_ValueError, "no field is at offset %d", offsets[i]);
      return -1;
    }
  return 0;
}

/* The functions in a tuple of pairs of address and argument: how many, or -1 with an exception. */
static int probes_from(PyObject *probes, Probe *out) {
  Py_ssize_t count = PyTuple_Size(probes);
  if (count > MOST_PROBES) {
    PyErr_SetString(PyExc_ValueError, "too many functions to ask");
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    unsigned long long address;
    unsigned argument;
    if (!PyArg_ParseTuple(PyTuple_GetItem(probes, i), "KI", &address, &argument)) return -1;
    if (!address) {
      PyErr_SetString(PyExc_ValueError, "a function to ask has no address");
      return -1;
    }
    out[i] = (Probe){(int (*)(uint32_t))(uintptr_t)address, argument};
  }
  return (int)count;
}

static int exchange_from(PyObject *description, Argument *out) {
  const char *kind;
  PyObject *capsule, *never, *never_written, *shared, *state, *probes;
  if (!PyArg_ParseTuple(description, "sOOO!O!UO!O!O!", &kind, &out->type, &capsule, &PyTuple_Type, &never,
                        &PyTuple_Type, &never_written, &out->dtype, &PyTuple_Type, &shared, &PyTuple_Type, &state,
                        &PyTuple_Type, &probes))
    return -1;
  int first = names_from(never, out->never), second = names_from(never_written, out->never_written);
  int asked = probes_from(probes, out->probes);
  Py_ssize_t dtypes = PyTuple_Size(shared);
  unsigned long long refused = 0;
  if (first < 0 || second < 0 || asked < 0) return -1;
  if (dtypes > MOST_DTYPES) {
    PyErr_SetString(PyExc_ValueError, "too many dtypes");
    return -1;
  }
  for (Py_ssize_t i = 0; i < dtypes; i++) {
    unsigned code, bits, lanes;
    if (!PyArg_ParseTuple(PyTuple_GetItem(shared, i), "III", &code, &bits, &lanes)) return -1;
    out->shared[i] = code << 24 | bits << 16 | lanes;
  }
  out->has_state = PyTuple_Size(state) > 0;
  if (out->has_state && !PyArg_ParseTuple(state, "iiK", &out->state_address, &out->state_word, &refused)) return -1;
  out->state_refused = refused;
  const int offsets[] = {out->state_address, out->state_word};
  if (check_offsets(offsets, 2)) return -1;
  out->never_count = (uint8_t)first;
  out->never_written_count = (uint8_t)second;
  out->shared_count = (uint8_t)dtypes;
  out->probe_count = (uint8_t)asked;
  out->tensor_from_object = describing_function(capsule);
  return out->tensor_from_object ? 0 : -1;
}

static int header_from(PyObject *description, Argument *out) {
  const char *kind;
  Header *header = &out->header;
  if (!PyArg_ParseTuple(description, "sO(iiiiii)I", &kind, &out->type, &header->data, &header->ndim, &header->shape,
                        &header->strides, &header->dtype, &header->flags, &header->mask))
    return -1;
  const int offsets[] = {header->data, header->ndim, header->shape, header->strides, header->dtype, header->flags};
  return check_offsets(offsets, 6);
}

static int number_from(PyObject *description, Argument *out) {
  const char *kind;
  int letter;
  if (!PyArg_ParseTuple(description, "sC", &kind, &letter)) return -1;
  if (letter > 127 || !strchr("?bBhHiIqQfdn", letter)) {
    PyErr_Format(PyExc_ValueError, "no number has the letter %c", letter);
    return -1;
  }
  out->letter = (char)letter;
  return 0;
}

int argument_from(PyObject *description, Argument *out) {
  static const char *const kinds[] = {"exchange", "header", "number", "constant", "stream", "no stream"};
  memset(out, 0, sizeof *out);
  const char *kind;
  PyObject *name = PyTuple_Check(description) && PyTuple_Size(description) ? PyTuple_GetItem(description, 0) : NULL;
  if (!name || !(kind = PyUnicode_AsUTF8AndSize(name, NULL))) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "an argument is described by a tuple");
    return -1;
  }
  for (int i = 0; i < 6; i++)
    if (!strcmp(kind, kinds[i])) {
      out->kind = (Kind)i;
      switch (out->kind) {
      case EXCHANGE: return exchange_from(description, out);
      case HEADER: return header_from(description, out);
      case NUMBER: return number_from(description, out);
      case CONSTANT:
        return PyArg_ParseTuple(description, "sOO!", &kind, &out->type, &PyDict_Type, &out->records) ? 0 : -1;
      case STREAM: return PyArg_ParseTuple(description, "sOO", &kind, &out->type, &out->handle) ? 0 : -1;
      default: return PyArg_ParseTuple(description, "sO", &kind, &out->type) ? 0 : -1;
      }
    }
  PyErr_Format(PyExc_ValueError, "no argument is of the kind %s", kind);
  return -1;
}
