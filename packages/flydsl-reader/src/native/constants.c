/* Reading compile-time values. The words of a value start with what it is, a tag, or an address, which is none; so the
 * words of several values, one behind the other, are those of no others. */
#include "constants.h"

#include <string.h>

#include "readings.h"

#define MOST_DEPTH 16
#define MOST_TEXT 256

enum { INTEGER = 1, LARGE = 3, FLOAT = 5, TEXT = 7, BYTES = 9, TUPLE = 11, RECORD = 13 }; /* odd: no addresses */
enum { IN_DICT, IN_SLOTS, IN_TUPLE };

typedef struct Reader {
  PyObject *records, *identities;
  Reading *reading;
} Reader;

static Outcome read_value(const Reader *reader, PyObject *value, int depth);

static Outcome read_identity(const Reader *reader, uint64_t tag, PyObject *value) {
  if (tag && add_word(reader->reading, tag) != READ) return DOUBT;
  return add_identity(reader->reading, value, reader->identities);
}

static Outcome read_tagged(const Reader *reader, uint64_t tag, uint64_t word) {
  return add_word(reader->reading, tag) == READ ? add_word(reader->reading, word) : DOUBT;
}

static Outcome read_integer(const Reader *reader, PyObject *value) {
  int overflow;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  return overflow ? read_identity(reader, LARGE, value) : read_tagged(reader, INTEGER, (uint64_t)number);
}

static Outcome read_float(const Reader *reader, PyObject *value) {
  const double number = PyFloat_AsDouble(value); /* exact; by its bits, as 0.0 is not -0.0 */
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return read_tagged(reader, FLOAT, bits);
}

/* Bytes that belong to `value`: as words when they are few. */
static Outcome read_bytes(const Reader *reader, uint64_t tag, PyObject *value, const char *bytes, Py_ssize_t size) {
  if (!bytes || size > MOST_TEXT) {
    PyErr_Clear();
    return read_identity(reader, 0, value);
  }
  Outcome outcome = read_tagged(reader, tag, (uint64_t)size);
  for (Py_ssize_t at = 0; outcome == READ && at < size; at += 8) {
    uint64_t word = 0;
    memcpy(&word, bytes + at, (size_t)(size - at < 8 ? size - at : 8));
    outcome = add_word(reader->reading, word);
  }
  return outcome;
}

static Outcome read_text(const Reader *reader, PyObject *value) {
  Py_ssize_t size = 0;
  const char *bytes = PyUnicode_AsUTF8AndSize(value, &size);
  return read_bytes(reader, TEXT, value, bytes, size);
}

static Outcome read_items(const Reader *reader, PyObject *tuple, int depth) {
  const Py_ssize_t count = PyTuple_Size(tuple);
  if (depth == MOST_DEPTH) return DOUBT;
  Outcome outcome = read_tagged(reader, TUPLE, (uint64_t)count);
  for (Py_ssize_t i = 0; outcome == READ && i < count; i++)
    outcome = read_value(reader, PyTuple_GetItem(tuple, i), depth + 1);
  return outcome;
}

/* The fields in the dict of an object that has nothing else there. */
static Outcome read_dict(const Reader *reader, PyObject *value, PyObject *names, int depth) {
  PyObject *dict = PyObject_GenericGetDict(value, NULL);
  if (!dict) return doubt_or_failure();
  const Py_ssize_t count = PyTuple_Size(names);
  Outcome outcome = PyDict_CheckExact(dict) && PyDict_Size(dict) == count ? READ : DOUBT;
  for (Py_ssize_t i = 0; outcome == READ && i < count; i++) {
    PyObject *field = PyDict_GetItemWithError(dict, PyTuple_GetItem(names, i));
    outcome = field ? read_value(reader, field, depth + 1) : PyErr_Occurred() ? doubt_or_failure() : DOUBT;
  }
  Py_DECREF(dict);
  return outcome;
}

static Outcome read_slots(const Reader *reader, PyObject *value, PyObject *names, int depth) {
  Outcome outcome = READ;
  for (Py_ssize_t i = 0; outcome == READ && i < PyTuple_Size(names); i++) {
    PyObject *field = PyObject_GetAttr(value, PyTuple_GetItem(names, i));
    if (!field) return doubt_or_failure();
    outcome = read_value(reader, field, depth + 1);
    Py_DECREF(field);
  }
  return outcome;
}

static Outcome read_record(const Reader *reader, PyObject *value, PyObject *record, int depth) {
  if (depth == MOST_DEPTH) return DOUBT;
  Outcome outcome = read_identity(reader, RECORD, (PyObject *)Py_TYPE(value));
  if (outcome != READ) return outcome;
  PyObject *names = PyTuple_GetItem(record, 1);
  switch (PyLong_AsLong(PyTuple_GetItem(record, 0))) {
  case IN_DICT: return read_dict(reader, value, names, depth);
  case IN_SLOTS: return read_slots(reader, value, names, depth);
  case IN_TUPLE: return read_items(reader, value, depth);
  }
  return DOUBT;
}

static Outcome read_value(const Reader *reader, PyObject *value, int depth) {
  PyTypeObject *type = Py_TYPE(value);
  if (type == &PyLong_Type) return read_integer(reader, value);
  if (type == &PyFloat_Type) return read_float(reader, value);
  if (type == &PyUnicode_Type) return read_text(reader, value);
  if (type == &PyTuple_Type) return read_items(reader, value, depth);
  if (type == &PyBytes_Type) {
    char *bytes = NULL;
    Py_ssize_t size = 0;
    return PyBytes_AsStringAndSize(value, &bytes, &size) ? FAILED : read_bytes(reader, BYTES, value, bytes, size);
  }
  if (type == &PyBool_Type || value == Py_None) return read_identity(reader, 0, value);
  PyObject *record = PyDict_GetItemWithError(reader->records, (PyObject *)type);
  if (!record) return PyErr_Occurred() ? doubt_or_failure() : read_identity(reader, 0, value);
  return read_record(reader, value, record, depth);
}

Outcome constant_read(PyObject *value, PyObject *records, Reading *reading, PyObject *identities) {
  const Reader reader = {records, identities, reading};
  return read_value(&reader, value, 0);
}
