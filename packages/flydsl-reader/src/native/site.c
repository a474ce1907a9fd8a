#include "site.h"

#include "calls.h"

#include <stdlib.h>
#include <string.h>

static PyObject *optional(PyObject *value) { return value == Py_None ? NULL : value; }

/* The functions that are told of written tensors: 0, or -1 with an exception. */
static int check_written(PyObject *written, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(written); i++) {
    PyObject *function, *numbers;
    if (!PyArg_ParseTuple(PyTuple_GetItem(written, i), "OO!", &function, &PyTuple_Type, &numbers)) return -1;
    for (Py_ssize_t j = 0; j < PyTuple_Size(numbers); j++) {
      Py_ssize_t number = PyLong_AsSsize_t(PyTuple_GetItem(numbers, j));
      if (number == -1 && PyErr_Occurred()) return -1;
      if (number < 0 || number >= count) {
        PyErr_SetString(PyExc_ValueError, "there is no argument of that number");
        return -1;
      }
    }
  }
  return 0;
}

/* What is asked for a framework's current stream, a function or an exchange API: 0, or -1 with an exception. */
static int stream_from(PyObject *current_stream, Site *site) {
  if (!PyCapsule_CheckExact(current_stream)) {
    site->current_stream = optional(current_stream);
    return 0;
  }
  const DlExchange *exchange = exchange_of(current_stream);
  if (!exchange) return -1;
  site->work_stream = exchange->current_work_stream;
  if (site->work_stream) return 0;
  PyErr_SetString(PyExc_ValueError, "the exchange API tells no streams");
  return -1;
}

/* Ask each function once a call: leave out those of an argument that one before has. */
static void drop_repeated_probes(Site *site) {
  for (Py_ssize_t i = 1; i < site->count; i++)
    for (Py_ssize_t j = 0; j < i; j++)
      if (!memcmp(site->arguments[i].probes, site->arguments[j].probes, sizeof site->arguments[i].probes))
        site->arguments[i].probe_count = 0;
}

static int site_fill(Site *site, PyObject *args) {
  PyObject *descriptions, *guards, *is_current, *current_stream;
  if (!PyArg_ParseTuple(args, "O!O!OOOO!OOO!", &PyTuple_Type, &descriptions, &PyTuple_Type, &site->defaults,
                        &site->stub, &site->learn, &site->fail, &PyTuple_Type, &guards, &is_current, &current_stream,
                        &PyTuple_Type, &site->written))
    return -1;
  site->is_current = optional(is_current);
  if (guards_from(guards, &site->guards) || stream_from(current_stream, site)) return -1;
  site->count = PyTuple_Size(descriptions);
  site->passed = site->count - PyTuple_Size(site->defaults);
  if (site->count > MOST_ARGUMENTS || site->passed < 0) {
    PyErr_SetString(PyExc_ValueError, "too many arguments or defaults");
    return -1;
  }
  site->arguments = calloc((size_t)site->count + 1, sizeof *site->arguments);
  if (!site->arguments) {
    PyErr_NoMemory();
    return -1;
  }
  for (Py_ssize_t i = 0; i < site->count; i++)
    if (argument_from(PyTuple_GetItem(descriptions, i), &site->arguments[i])) return -1;
  drop_repeated_probes(site);
  return check_written(site->written, site->count);
}

static PyObject *site_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  if (keywords && PyDict_Size(keywords)) {
    PyErr_SetString(PyExc_TypeError, "Site takes no keywords");
    return NULL;
  }
  allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Site *site = (Site *)alloc(type, 0);
  if (!site) return NULL;
  Py_INCREF(args);
  site->owned = args;
  if (site_fill(site, args)) {
    Py_DECREF(site);
    return NULL;
  }
  return (PyObject *)site;
}

static int site_traverse(PyObject *self, visitproc visit, void *arg) {
  Site *site = (Site *)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(site->owned);
  return plans_traverse(&site->plans, visit, arg);
}

static int site_clear(PyObject *self) {
  Site *site = (Site *)self;
  Py_CLEAR(site->owned);
  plans_free(&site->plans);
  return 0;
}

static void site_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  site_clear(self);
  free(((Site *)self)->arguments);
  guards_free(&((Site *)self)->guards);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

int is_site(PyObject *object) { return PyType_GetSlot(Py_TYPE(object), Py_tp_dealloc) == (void *)site_dealloc; }

/* The words that are read of a call; None when the stub has to look at it. */
static PyObject *site_key(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  Reading reading;
  Outcome outcome = ((Site *)self)->owned ? site_read((Site *)self, args, count, &reading, NULL) : DOUBT;
  if (outcome == FAILED) return NULL;
  if (outcome == DOUBT) Py_RETURN_NONE;
  return PyBytes_FromStringAndSize((const char *)reading.words, (Py_ssize_t)(reading.count * sizeof(uint64_t)));
}

/* Where each argument goes, and the bytes of layouts: the size of the packed arguments, or -1 with an exception. */
static Py_ssize_t place_arguments(const Site *site, PyObject *parts, Plan *plan) {
  Py_ssize_t offset = 0;
  for (Py_ssize_t i = 0; i < site->count; i++) {
    const Argument *argument = &site->arguments[i];
    unsigned long long mask = 0;
    const char *layout = NULL;
    Py_ssize_t length = 0;
    if (is_tensor(argument)) {
      PyObject *part = PyTuple_GetItem(parts, i);
      if (!PyTuple_Check(part)) {
        PyErr_SetString(PyExc_TypeError, "the part of a tensor is a mask and bytes");
        return -1;
      }
      if (!PyArg_ParseTuple(part, "Ky#", &mask, &layout, &length)) return -1;
    }
    if (plan) {
      plan->offsets[i] = argument->kind == CONSTANT ? UINT16_MAX : (uint16_t)offset;
      plan->masks[i] = mask;
      if (length) memcpy((unsigned char *)plan_template(plan) + offset + 8, layout, (size_t)length);
    }
    offset += length + (argument->kind == CONSTANT ? 0 : 8);
  }
  return offset;
}

/* add(key, leaves, parts, (launch, table, module, ordinal), device, owner): whether the plan was added. It is not when
 * `key` is no longer what is read of the leaves. */
static PyObject *site_add(PyObject *self, PyObject *args) {
  Site *site = (Site *)self;
  PyObject *key, *leaves, *parts, *device, *owner;
  unsigned long long launch, table, module;
  int ordinal;
  if (!PyArg_ParseTuple(args, "SO!O!(KKKi)OO", &key, &PyTuple_Type, &leaves, &PyTuple_Type, &parts, &launch, &table,
                        &module, &ordinal, &device, &owner))
    return NULL;
  int numbers[2] = {0, 0};
  if (site->work_stream && device != Py_None && !PyArg_ParseTuple(device, "ii", &numbers[0], &numbers[1])) return NULL;
  Py_ssize_t given = PyTuple_Size(leaves), length;
  char *expected;
  if (PyTuple_Size(parts) != site->count || !launch || given > MOST_ARGUMENTS) {
    PyErr_SetString(PyExc_ValueError, "a plan has a launcher and a part for each argument");
    return NULL;
  }
  PyObject *values[MOST_ARGUMENTS];
  for (Py_ssize_t i = 0; i < given; i++) values[i] = PyTuple_GetItem(leaves, i);
  Py_ssize_t size = place_arguments(site, parts, NULL);
  PyObject *identities = PyList_New(0), *kept = NULL;
  Plan *plan = NULL;
  Reading reading;
  if (size < 0 || !identities || PyBytes_AsStringAndSize(key, &expected, &length)) goto done;
  Outcome outcome = site->owned ? site_read(site, values, given, &reading, identities) : DOUBT;
  if (outcome == FAILED) goto done;
  uint64_t hash = reading_hash(&reading);
  int is_same = outcome == READ && (size_t)length == reading.count * sizeof(uint64_t) &&
      !memcmp(expected, reading.words, (size_t)length);
  if (!is_same || size > MOST_BYTES || plans_find(&site->plans, &reading, hash) ||
      atomic_load(&site->plans.count) >= MOST_PLANS) {
    Py_DECREF(identities);
    return PyBool_FromLong(0);
  }
  kept = PyTuple_Pack(3, owner, device, identities);
  plan = kept ? plan_new(&reading, (uint32_t)size) : NULL;
  if (!plan) {
    if (!PyErr_Occurred()) PyErr_NoMemory();
    goto done;
  }
  if (place_arguments(site, parts, plan) < 0) goto done;
  plan->kept = kept;
  plan->launch = (LaunchPacked)(uintptr_t)launch;
  plan->table = (void *)(uintptr_t)table;
  plan->module = (void *)(uintptr_t)module;
  plan->ordinal = ordinal;
  plan->device = optional(device);
  plan->device_kind = numbers[0];
  plan->device_ordinal = numbers[1];
  plans_add(&site->plans, plan);
  Py_DECREF(identities);
  return PyBool_FromLong(1);
done:
  free(plan);
  Py_XDECREF(kept);
  Py_XDECREF(identities);
  return NULL;
}

static PyMethodDef methods[] = {
    {"launch", (PyCFunction)(void (*)(void))site_launch, METH_FASTCALL, "Launch a call."},
    {"key", (PyCFunction)(void (*)(void))site_key, METH_FASTCALL, "The bytes that tell a call apart, or None."},
    {"add", site_add, METH_VARARGS, "Add the plan of calls like one."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Calls of one function with arguments of the same types."},
    {Py_tp_new, site_new},
    {Py_tp_dealloc, site_dealloc},
    {Py_tp_traverse, site_traverse},
    {Py_tp_clear, site_clear},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "flydsl_reader._reader.Site",
    .basicsize = sizeof(Site),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

static int execute(PyObject *module) {
  PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
  if (!type) return -1;
  int added = PyModule_AddObjectRef(module, "Site", type);
  if (!added) added = add_calls(module);
  Py_DECREF(type);
  return added;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, execute}, {0, NULL}};

static PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "flydsl_reader._reader",
    .m_doc = "Reads the arguments of calls and launches them.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__reader(void) { return PyModuleDef_Init(&definition); }
