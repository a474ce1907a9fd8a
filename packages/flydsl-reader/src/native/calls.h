/* `Calls`: the sites of one function, told apart by the types of what callers pass. */
#ifndef FLY_READER_CALLS_H
#define FLY_READER_CALLS_H

#include "site.h"

/* Add the type `Calls` to the module: 0, or -1 with an exception. */
int add_calls(PyObject *module);

#endif
