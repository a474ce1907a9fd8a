/* `Site`: calls of one function with arguments of the same types. */
#ifndef FLY_READER_SITE_H
#define FLY_READER_SITE_H

#include "guards.h"
#include "plans.h"

typedef struct Site {
  PyObject_HEAD PyObject *owned; /* the tuple of all that the other fields point to; null once it was cleared */
  PyObject *stub, *learn, *fail;
  PyObject *is_current;            /* what tells what guards do not; null: nothing has to */
  PyObject *current_stream;        /* null: no framework says, or its exchange API does: */
  DlCurrentWorkStream work_stream; /* null: none does */
  PyObject *written; /* a tuple of functions, each with the numbers of the arguments it is told of */
  PyObject *defaults; /* arguments that callers do not pass */
  Py_ssize_t passed, count;
  Argument *arguments;
  Guards guards;
  Plans plans;
} Site;

/* What is read of the arguments of a call; DOUBT too when there are too many or too few. */
Outcome site_read(const Site *site, PyObject *const *args, Py_ssize_t count, Reading *reading, PyObject *identities);

/* Whether an object is a Site. */
int is_site(PyObject *object);

/* Launch a call: None, or null with an exception. */
PyObject *site_launch(PyObject *self, PyObject *const *args, Py_ssize_t count);

#endif
