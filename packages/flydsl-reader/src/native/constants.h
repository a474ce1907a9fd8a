/* Compile-time values: read by their content where that is cheap, else by their identity. */
#ifndef FLY_READER_CONSTANTS_H
#define FLY_READER_CONSTANTS_H

#include "arguments.h"

/* Read a compile-time value. `records`, a dict, has (how, names) for each class whose objects are their fields: how is
 * 0 where they are in the object's dict, which has nothing else, 1 in slots, 2 items of a tuple. */
Outcome constant_read(PyObject *value, PyObject *records, Reading *reading, PyObject *identities);

#endif
