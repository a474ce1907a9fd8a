/* Guards: variables that must still hold the objects which they held when the plans of a site were made. */
#ifndef FLY_READER_GUARDS_H
#define FLY_READER_GUARDS_H

#include "arguments.h"

typedef enum GuardKind { ITEM, ABSENT, ATTRIBUTE, CONTENTS } GuardKind;

/* One variable, or with CONTENTS a dict, whose keys and then values are in the tuple `value`. Everything it points
 * to belongs to the tuple of descriptions that the site keeps. */
typedef struct Guard {
  GuardKind kind;
  PyObject *owner, *name, *value;
} Guard;

typedef struct Guards {
  Py_ssize_t count;
  Guard *each;
} Guards;

/* Guards from a tuple of (kind, owner, name, value): 0, or -1 with an exception. They are to be freed in either case.
 */
int guards_from(PyObject *descriptions, Guards *out);

/* READ when all hold. */
Outcome guards_check(const Guards *guards);

void guards_free(Guards *guards);

#endif
