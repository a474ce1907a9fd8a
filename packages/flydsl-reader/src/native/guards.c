#include "guards.h"

#include <stdlib.h>
#include <string.h>

static int is_right(const Guard *guard) {
  if (guard->kind == ATTRIBUTE) return PyUnicode_Check(guard->name);
  return PyDict_CheckExact(guard->owner) && (guard->kind != CONTENTS || PyTuple_CheckExact(guard->value));
}

static int guard_from(PyObject *description, Guard *out) {
  static const char *const kinds[] = {"item", "absent", "attribute", "contents"};
  const char *kind;
  if (!PyTuple_Check(description)) {
    PyErr_SetString(PyExc_TypeError, "a guard is described by a tuple");
    return -1;
  }
  if (!PyArg_ParseTuple(description, "sOOO", &kind, &out->owner, &out->name, &out->value)) return -1;
  for (int i = 0; i < 4; i++)
    if (!strcmp(kind, kinds[i])) {
      out->kind = (GuardKind)i;
      if (is_right(out)) return 0;
      PyErr_SetString(PyExc_TypeError,
                      "guards are items of dicts, attributes whose names are strings, and contents of dicts, a tuple");
      return -1;
    }
  PyErr_Format(PyExc_ValueError, "no guard is of the kind %s", kind);
  return -1;
}

int guards_from(PyObject *descriptions, Guards *out) {
  Py_ssize_t count = PyTuple_Size(descriptions);
  out->each = calloc((size_t)count + 1, sizeof *out->each);
  if (!out->each) {
    PyErr_NoMemory();
    return -1;
  }
  for (; out->count < count; out->count++)
    if (guard_from(PyTuple_GetItem(descriptions, out->count), &out->each[out->count])) return -1;
  return 0;
}

static Outcome check_attribute(const Guard *guard) {
  PyObject *value = PyObject_GetAttr(guard->owner, guard->name);
  if (!value) return doubt_or_failure();
  Outcome outcome = value == guard->value ? READ : DOUBT;
  Py_DECREF(value);
  return outcome;
}

static Outcome check_item(const Guard *guard) {
  PyObject *value = PyDict_GetItemWithError(guard->owner, guard->name);
  if (!value && PyErr_Occurred()) return doubt_or_failure();
  return value == (guard->kind == ABSENT ? NULL : guard->value) ? READ : DOUBT;
}

static Outcome check_contents(const Guard *guard) {
  const Py_ssize_t count = PyDict_Size(guard->owner);
  if (PyTuple_Size(guard->value) != 2 * count) return DOUBT;
  PyObject *key, *value;
  for (Py_ssize_t at = 0, i = 0; PyDict_Next(guard->owner, &at, &key, &value); i++)
    if (key != PyTuple_GetItem(guard->value, i) || value != PyTuple_GetItem(guard->value, count + i)) return DOUBT;
  return READ;
}

static Outcome check(const Guard *guard) {
  switch (guard->kind) {
  case ATTRIBUTE: return check_attribute(guard);
  case CONTENTS: return check_contents(guard);
  default: return check_item(guard);
  }
}

Outcome guards_check(const Guards *guards) {
  for (Py_ssize_t i = 0; i < guards->count; i++) {
    Outcome outcome = check(&guards->each[i]);
    if (outcome != READ) return outcome;
  }
  return READ;
}

void guards_free(Guards *guards) {
  free(guards->each);
  guards->each = NULL;
  guards->count = 0;
}
