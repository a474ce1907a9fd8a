/* Arguments of a call: how each is read, and what was read of those of one call. */
#ifndef FLY_READER_ARGUMENTS_H
#define FLY_READER_ARGUMENTS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdint.h>

#include "dlpack.h"

#define MOST_ARGUMENTS 64
#define MOST_WORDS 384
#define MOST_NAMES 8
#define MOST_DTYPES 8
#define MOST_PROBES 4

/* What a read came to. */
typedef enum Outcome {
  READ,   /* it is as it should be */
  DOUBT,  /* the generated stub must look at the call: it launches, or says what is wrong */
  FAILED, /* an exception is set that is no answer, such as KeyboardInterrupt */
} Outcome;

/* A function of C, bool f(uint32_t), that must say no: a framework watches the calls of this thread otherwise. */
typedef struct Probe {
  int (*function)(uint32_t);
  uint32_t argument;
} Probe;

typedef enum Kind { EXCHANGE, HEADER, NUMBER, CONSTANT, STREAM, NO_STREAM } Kind;

/* Offsets in bytes of the fields of an array object, and the flags that matter. */
typedef struct Header {
  int data, ndim, shape, strides, dtype, flags;
  uint32_t mask;
} Header;

/* One argument of a site. Everything it points to belongs to the tuple of descriptions that the site keeps. */
typedef struct Argument {
  Kind kind;
  PyObject *type; /* the exact type of its values; null: numbers of Python */
  char letter;    /* of a NUMBER, as in Python's `struct`; n: i or q, whichever holds it */
  uint8_t never_count, never_written_count, shared_count, probe_count;
  DlTensorFromObject tensor_from_object;
  PyObject *never[MOST_NAMES];         /* methods whose answer must be False */
  PyObject *never_written[MOST_NAMES]; /* attributes that must be False */
  PyObject *dtype;                     /* attribute that tells apart what has one of these DLPack dtypes */
  uint32_t shared[MOST_DTYPES];
  int has_state; /* whether a word tells tensors apart: at an offset from the address at an offset in the object */
  int state_address, state_word;
  uint64_t state_refused; /* bits of that word of which none is set */
  Probe probes[MOST_PROBES];
  Header header;
  PyObject *records; /* of a CONSTANT, as `constant_read` takes them */
  PyObject *handle; /* the function that gives a STREAM's handle */
} Argument;

/* What was read of one call: words that tell calls apart, and 8 bytes for each argument. */
typedef struct Reading {
  uint32_t count;
  uint64_t words[MOST_WORDS];
  uint64_t values[MOST_ARGUMENTS];
  uint64_t stream;
} Reading;

/* Fill an argument from its description, a tuple that starts with the name of its kind: 0, or -1 with an exception. */
int argument_from(PyObject *description, Argument *out);

/* The exchange API of DLPack 1 in a capsule, or null with an exception. */
const DlExchange *exchange_of(PyObject *capsule);

/* Read one value. `identities`, a list or null, gets the objects whose addresses are among the words. */
Outcome argument_read(const Argument *argument, PyObject *value, Reading *reading, uint64_t *out, PyObject *identities);

static inline int is_tensor(const Argument *argument) { return argument->kind == EXCHANGE || argument->kind == HEADER; }

/* DOUBT for an exception that means that something does not work; FAILED for one that ends the program. */
Outcome doubt_or_failure(void);

#endif
