/* Calls of XLA's FFI, in the versions that this handler knows.
 *
 * The handler says the lower of its own and the framework's minor version, and then follows what it said: XLA takes
 * no handler of a version newer than its own.
 */
#ifndef FLYDSL_JAX_XLA_H
#define FLYDSL_JAX_XLA_H

#include <stdbool.h>

#include "failure.h"

enum {
  XLA_MAJOR = 0,
  XLA_OWN_MINOR = 3,   /* the newest that changed anything here, whatever header this is built with */
  XLA_STAGE_MINOR = 3, /* from here on, states have a stage */
  XLA_TYPE_MINOR = 2,  /* from here on, metadata have a state type */
};

int xla_minor(const XLA_FFI_Api *api);

/* The extension by which XLA asks what a handler is, NULL in every other call. */
const XLA_FFI_Metadata_Extension *xla_metadata_request(const XLA_FFI_CallFrame *frame);

void xla_reply_metadata(const XLA_FFI_CallFrame *frame, const XLA_FFI_Metadata_Extension *request,
                        XLA_FFI_Handler_Traits traits, XLA_FFI_TypeId state_type);

XLA_FFI_Error *xla_error(const XLA_FFI_Api *api, const Failure *failure);

/* The bytes of a string attribute; NULL with the reason when it is missing and must be there, or is no string. */
const XLA_FFI_ByteSpan *xla_string(const XLA_FFI_CallFrame *frame, const char *name, bool is_required,
                                   Failure *failure);

/* The state of the call site, which is set at its instantiation. */
XLA_FFI_Error *xla_set_state(const XLA_FFI_CallFrame *frame, XLA_FFI_TypeId *type, void *state);
XLA_FFI_Error *xla_get_state(const XLA_FFI_CallFrame *frame, XLA_FFI_TypeId *type, void **state);

XLA_FFI_Error *xla_get_stream(const XLA_FFI_CallFrame *frame, void **stream);
XLA_FFI_Error *xla_get_ordinal(const XLA_FFI_CallFrame *frame, int32_t *ordinal);

#endif
