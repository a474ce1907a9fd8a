/* The launch of a call: read, find the plan, pack, call the launcher. Nothing here is shared between calls. */
#include "site.h"

#include <string.h>

Outcome site_read(const Site *site, PyObject *const *args, Py_ssize_t count, Reading *reading, PyObject *identities) {
  reading->count = 0;
  reading->stream = 0;
  if (count != site->passed) return DOUBT;
  for (Py_ssize_t i = 0; i < site->count; i++) {
    PyObject *value = i < count ? args[i] : PyTuple_GetItem(site->defaults, i - count);
    Outcome outcome = argument_read(&site->arguments[i], value, reading, &reading->values[i], identities);
    if (outcome != READ) return outcome;
  }
  return READ;
}

static PyObject *arguments_tuple(PyObject *const *args, Py_ssize_t count) {
  PyObject *tuple = PyTuple_New(count);
  if (!tuple) return NULL;
  for (Py_ssize_t i = 0; i < count; i++) {
    Py_INCREF(args[i]);
    PyTuple_SetItem(tuple, i, args[i]);
  }
  return tuple;
}

/* Have the generated stub serve the call; with `learns`, first let Python add the plan of such calls if it knows one.
 */
static PyObject *by_stub(const Site *site, PyObject *const *args, Py_ssize_t count, int learns) {
  PyObject *tuple = arguments_tuple(args, count), *result = NULL;
  if (!tuple) return NULL;
  PyObject *learned = learns ? PyObject_CallFunctionObjArgs(site->learn, tuple, NULL) : NULL;
  if (learned || !learns) result = PyObject_Call(site->stub, tuple, NULL);
  Py_XDECREF(learned);
  Py_DECREF(tuple);
  return result;
}

/* Whether everything that the plans rest on is as it was. */
static Outcome check_current(const Site *site) {
  Outcome held = guards_check(&site->guards);
  if (held != READ || !site->is_current) return held;
  PyObject *answer = PyObject_CallFunctionObjArgs(site->is_current, NULL);
  if (!answer) return doubt_or_failure();
  Outcome outcome = answer == Py_True ? READ : DOUBT;
  Py_DECREF(answer);
  return outcome;
}

static Outcome find_stream(const Site *site, const Plan *plan, Reading *reading) {
  if (reading->stream || !plan->device) return READ;
  if (site->work_stream) {
    void *stream = NULL;
    if (site->work_stream(plan->device_kind, plan->device_ordinal, &stream))
      return PyErr_Occurred() ? doubt_or_failure() : DOUBT;
    reading->stream = (uint64_t)(uintptr_t)stream;
    return READ;
  }
  if (!site->current_stream) return READ;
  PyObject *handle = PyObject_CallFunctionObjArgs(site->current_stream, plan->device, NULL);
  if (!handle) return doubt_or_failure();
  reading->stream = PyLong_AsUnsignedLongLong(handle);
  Py_DECREF(handle);
  return PyErr_Occurred() ? doubt_or_failure() : READ;
}

/* Tell frameworks which of their tensors were written: 0, or -1 with an exception. */
static int tell_written(const Site *site, PyObject *const *args) {
  Py_ssize_t functions = PyTuple_Size(site->written);
  for (Py_ssize_t i = 0; i < functions; i++) {
    PyObject *function = PyTuple_GetItem(PyTuple_GetItem(site->written, i), 0);
    PyObject *numbers = PyTuple_GetItem(PyTuple_GetItem(site->written, i), 1);
    Py_ssize_t count = PyTuple_Size(numbers);
    PyObject *tensors = PyTuple_New(count);
    if (!tensors) return -1;
    for (Py_ssize_t j = 0; j < count; j++) {
      Py_ssize_t number = PyLong_AsSsize_t(PyTuple_GetItem(numbers, j));
      PyObject *tensor = number < site->passed ? args[number] : PyTuple_GetItem(site->defaults, number - site->passed);
      Py_INCREF(tensor);
      PyTuple_SetItem(tensors, j, tensor);
    }
    PyObject *told = PyObject_CallFunctionObjArgs(function, tensors, NULL);
    Py_DECREF(tensors);
    if (!told) return -1;
    Py_DECREF(told);
  }
  return 0;
}

static int is_aligned(const Site *site, const Plan *plan, const Reading *reading) {
  for (Py_ssize_t i = 0; i < site->count; i++)
    if (reading->values[i] & plan->masks[i]) return 0;
  return 1;
}

static int32_t launch(const Site *site, const Plan *plan, const Reading *reading) {
  union {
    uint64_t aligned;
    unsigned char bytes[MOST_BYTES];
  } packed;
  memcpy(packed.bytes, plan_template(plan), plan->size);
  for (Py_ssize_t i = 0; i < site->count; i++)
    if (plan->offsets[i] < plan->size) memcpy(packed.bytes + plan->offsets[i], &reading->values[i], sizeof(uint64_t));
  PyThreadState *state = PyEval_SaveThread();
  int32_t code =
      plan->launch(plan->table, plan->module, plan->ordinal, (void *)(uintptr_t)reading->stream, packed.bytes);
  PyEval_RestoreThread(state);
  return code;
}

PyObject *site_launch(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  Site *site = (Site *)self;
  Reading reading;
  if (!site->owned) {
    PyErr_SetString(PyExc_ReferenceError, "the function of this call was deleted");
    return NULL;
  }
  Outcome outcome = site_read(site, args, count, &reading, NULL);
  if (outcome == FAILED) return NULL;
  if (outcome == DOUBT) return by_stub(site, args, count, 0);
  const Plan *plan = plans_find(&site->plans, &reading, reading_hash(&reading));
  if (!plan) {
    int learns = atomic_load_explicit(&site->plans.count, memory_order_relaxed) < MOST_PLANS;
    return by_stub(site, args, count, learns);
  }
  if (!is_aligned(site, plan, &reading)) return by_stub(site, args, count, 0);
  outcome = check_current(site);
  if (outcome == READ) outcome = find_stream(site, plan, &reading);
  if (outcome == FAILED) return NULL;
  if (outcome == DOUBT) return by_stub(site, args, count, 0);
  int32_t code = launch(site, plan, &reading);
  if (code) {
    PyObject *failed = PyObject_CallFunction(site->fail, "i", (int)code);
    if (!failed) return NULL;
    Py_DECREF(failed);
  }
  if (tell_written(site, args)) return NULL;
  Py_RETURN_NONE;
}
