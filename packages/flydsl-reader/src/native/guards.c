#include "guards.h"

#include <stdlib.h>
#include <string.h>

static int guard_from(PyObject *description, Guard *out) {
  static const char *const kinds[] = {"item", "absent", "attribute"};
  const char *kind;
  if (!PyTuple_Check(description)) {
    PyErr_SetString(PyExc_TypeError, "a guard is described by a tuple");
    return -1;
  }
  if (!PyArg_ParseTuple(description, "sOOO", &kind, &out->owner, &out->name, &out->value)) return -1;
  for (int i = 0; i < 3; i++)
    if (!strcmp(kind, kinds[i])) {
      out->kind = (GuardKind)i;
      if (out->kind == ATTRIBUTE ? PyUnicode_Check(out->name) : PyDict_CheckExact(out->owner)) return 0;
      PyErr_SetString(PyExc_TypeError, "guards are items of dicts, and attributes whose names are strings");
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

Outcome guards_check(const Guards *guards) {
  for (Py_ssize_t i = 0; i < guards->count; i++) {
    const Guard *guard = &guards->each[i];
    Outcome outcome = guard->kind == ATTRIBUTE ? check_attribute(guard) : check_item(guard);
    if (outcome != READ) return outcome;
  }
  return READ;
}

void guards_free(Guards *guards) {
  free(guards->each);
  guards->each = NULL;
  guards->count = 0;
}
