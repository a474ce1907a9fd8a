#include "calls.h"

#include <stdlib.h>

#define MOST_SITES 32

/* The calls that one site serves. */
typedef struct Entry {
  PyObject *types; /* a tuple, which keeps what `each` points to */
  PyObject *site;
  Py_ssize_t count;
  PyTypeObject *each[MOST_ARGUMENTS];
} Entry;

typedef struct Calls {
  PyObject_HEAD Py_ssize_t count;
  Entry *entries[MOST_SITES];
} Calls;

static void entry_free(Entry *entry) {
  PyObject *types = entry->types, *site = entry->site;
  free(entry);
  Py_XDECREF(types);
  Py_XDECREF(site);
}

static Entry *entry_new(PyObject *types, PyObject *site) {
  Entry *entry = calloc(1, sizeof *entry);
  if (!entry) {
    PyErr_NoMemory();
    return NULL;
  }
  entry->count = PyTuple_Size(types);
  for (Py_ssize_t i = 0; i < entry->count; i++) entry->each[i] = (PyTypeObject *)PyTuple_GetItem(types, i);
  Py_INCREF(types);
  Py_INCREF(site);
  entry->types = types;
  entry->site = site;
  return entry;
}

static int is_for(const Entry *entry, PyObject *const *args, Py_ssize_t count) {
  if (entry->count != count) return 0;
  for (Py_ssize_t i = 0; i < count; i++)
    if (Py_TYPE(args[i]) != entry->each[i]) return 0;
  return 1;
}

static int has_types(const Entry *entry, PyObject *types) {
  if (entry->count != PyTuple_Size(types)) return 0;
  for (Py_ssize_t i = 0; i < entry->count; i++)
    if ((PyObject *)entry->each[i] != PyTuple_GetItem(types, i)) return 0;
  return 1;
}

/* Launch a call by its site, or NotImplemented when there is none for such arguments. */
static PyObject *calls_launch(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  const Calls *calls = (Calls *)self;
  for (Py_ssize_t i = 0; i < calls->count; i++) {
    if (!is_for(calls->entries[i], args, count)) continue;
    PyObject *site = calls->entries[i]->site; /* others may forget it meanwhile */
    Py_INCREF(site);
    PyObject *result = site_launch(site, args, count);
    Py_DECREF(site);
    return result;
  }
  Py_RETURN_NOTIMPLEMENTED;
}

static PyObject *calls_add(PyObject *self, PyObject *args) {
  Calls *calls = (Calls *)self;
  PyObject *types, *site;
  if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &types, &site)) return NULL;
  if (!is_site(site) || PyTuple_Size(types) > MOST_ARGUMENTS) {
    PyErr_SetString(PyExc_TypeError, "calls are those of a Site, with as many arguments as it takes at most");
    return NULL;
  }
  Py_ssize_t at = 0;
  while (at < calls->count && !has_types(calls->entries[at], types)) at++;
  if (at == MOST_SITES) return PyBool_FromLong(0);
  Entry *entry = entry_new(types, site), *replaced = calls->entries[at];
  if (!entry) return NULL;
  calls->entries[at] = entry;
  if (at == calls->count) calls->count++;
  if (replaced) entry_free(replaced);
  return PyBool_FromLong(1);
}

static int calls_forget(PyObject *self) {
  Calls *calls = (Calls *)self;
  while (calls->count) {
    Entry *entry = calls->entries[--calls->count];
    calls->entries[calls->count] = NULL;
    entry_free(entry);
  }
  return 0;
}

static PyObject *calls_clear(PyObject *self, PyObject *nothing) {
  (void)nothing;
  calls_forget(self);
  Py_RETURN_NONE;
}

static PyObject *calls_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  if (PyTuple_Size(args) || (keywords && PyDict_Size(keywords))) {
    PyErr_SetString(PyExc_TypeError, "Calls takes nothing");
    return NULL;
  }
  allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  return alloc(type, 0);
}

static int calls_traverse(PyObject *self, visitproc visit, void *arg) {
  const Calls *calls = (Calls *)self;
  Py_VISIT(Py_TYPE(self));
  for (Py_ssize_t i = 0; i < calls->count; i++) {
    Py_VISIT(calls->entries[i]->types);
    Py_VISIT(calls->entries[i]->site);
  }
  return 0;
}

static void calls_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  calls_forget(self);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"launch", (PyCFunction)(void (*)(void))calls_launch, METH_FASTCALL, "Launch a call, or NotImplemented."},
    {"add", calls_add, METH_VARARGS, "Serve calls with arguments of these types by a site."},
    {"clear", calls_clear, METH_NOARGS, "Forget all sites."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "The sites of one function, by the types of what callers pass."},
    {Py_tp_new, calls_new},
    {Py_tp_dealloc, calls_dealloc},
    {Py_tp_traverse, calls_traverse},
    {Py_tp_clear, calls_forget},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "flydsl_reader._reader.Calls",
    .basicsize = sizeof(Calls),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

int add_calls(PyObject *module) {
  PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
  if (!type) return -1;
  int added = PyModule_AddObjectRef(module, "Calls", type);
  Py_DECREF(type);
  return added;
}
