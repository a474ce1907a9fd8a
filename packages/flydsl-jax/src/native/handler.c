/* The handlers: what XLA calls, in each stage of a call site.
 *
 *   instantiate   once for a call site of an executable, without a device: find the launcher, keep the plan
 *   prepare       each run on each device, before all devices meet: load the code where it is not loaded yet
 *   execute       each run: pack the arguments and enqueue; this may be recorded into a graph of the device
 *
 * XLA on the CPU has no prepare, so code is loaded at once there. Each platform has a registry of its own in XLA, and
 * so a handler and a state type of its own; GPUs have two handlers, which differ in whether graphs may record them.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "arguments.h"
#include "launchers.h"
#include "xla.h"

/* The state of a call site. */
typedef struct CallSite {
  Plan *plan;
  Launcher *launcher;
  const Runtime *runtime;
} CallSite;

static atomic_uint_fast64_t instantiated_count, destroyed_count;

static void call_site_free(void *state) {
  CallSite *site = state;
  free(site->plan);
  free(site);
}

static void call_site_destroy(void *state) {
  call_site_free(state);
  atomic_fetch_add(&destroyed_count, 1);
}

static XLA_FFI_TypeId state_types[PLATFORMS]; /* given by XLA at their registration */
static const XLA_FFI_TypeInfo state_info = {.struct_size = XLA_FFI_TypeInfo_STRUCT_SIZE, .deleter = call_site_destroy};

/* Launchers come from this process, else from the call itself, else from whom Python knows. */
static Launcher *find_launcher(const XLA_FFI_CallFrame *frame, Platform platform, Failure *failure) {
  const XLA_FFI_ByteSpan *key = xla_string(frame, "key", true, failure);
  if (!key || !launcher_check_key(key->ptr, key->len, failure)) return NULL;
  Launcher *launcher = launcher_find(platform, key->ptr);
  if (launcher) return launcher;
  const XLA_FFI_ByteSpan *module = xla_string(frame, "module", false, failure);
  if (module) return launcher_add(platform, key->ptr, module->ptr, module->len, failure);
  if (failure->code) return NULL;
  char digits[KEY_DIGITS + 1] = "", text[512];
  memcpy(digits, key->ptr, KEY_DIGITS);
  runtime_ask_for_launcher(platform, digits, text, sizeof text);
  launcher = launcher_find(platform, digits);
  if (!launcher)
    fail(failure, XLA_FFI_Error_Code_NOT_FOUND,
         "flydsl: no code of key %s is known in this process for platform %s, and the call does not hold it%s%s",
         digits, platform_name(platform), *text ? ": " : "", text);
  return launcher;
}

/* The host reads values when it packs arguments, and memory of a GPU is not the host's. */
static bool check_values(const Plan *plan, Platform platform, Failure *failure) {
  return platform == PLATFORM_CPU || !plan->has_values ||
      fail(failure, XLA_FFI_Error_Code_INVALID_ARGUMENT,
           "flydsl: %s: its plan is for platform cpu: it has numbers that a launch on platform %s cannot read",
           plan->name, platform_name(platform));
}

static CallSite *create_call_site(const XLA_FFI_CallFrame *frame, Platform platform, Failure *failure) {
  const XLA_FFI_ByteSpan *bytes = xla_string(frame, "plan", true, failure);
  CallSite *site = bytes ? calloc(1, sizeof *site) : NULL;
  if (!site) {
    if (bytes) fail(failure, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "flydsl: no memory is left for a call");
    return NULL;
  }
  const bool is_good = (site->plan = plan_read(bytes->ptr, bytes->len, failure)) &&
      check_values(site->plan, platform, failure) && (site->launcher = find_launcher(frame, platform, failure)) &&
      (site->runtime = runtime_require(platform, failure)) &&
      (platform != PLATFORM_CPU || launcher_load(site->launcher, site->runtime, 0, site->plan->name, failure));
  if (is_good) return site;
  call_site_free(site);
  return NULL;
}

static XLA_FFI_Error *instantiate(const XLA_FFI_CallFrame *frame, Platform platform) {
  Failure failure = {.code = XLA_FFI_Error_Code_OK};
  CallSite *site = create_call_site(frame, platform, &failure);
  if (!site) return xla_error(frame->api, &failure);
  XLA_FFI_Error *error = xla_set_state(frame, &state_types[platform], site);
  if (error) call_site_free(site);
  else atomic_fetch_add(&instantiated_count, 1);
  return error;
}

static XLA_FFI_Error *prepare(const XLA_FFI_CallFrame *frame, Platform platform) {
  void *state;
  int32_t ordinal = 0;
  XLA_FFI_Error *error = xla_get_state(frame, &state_types[platform], &state);
  if (!error && platform != PLATFORM_CPU) error = xla_get_ordinal(frame, &ordinal);
  if (error) return error;
  const CallSite *site = state;
  Failure failure;
  if (launcher_load(site->launcher, site->runtime, ordinal, site->plan->name, &failure)) return NULL;
  return xla_error(frame->api, &failure);
}

/* The runtime for the CPU has one device, whichever of its devices XLA means. */
static XLA_FFI_Error *execute(const XLA_FFI_CallFrame *frame, Platform platform) {
  void *state, *stream = NULL;
  int32_t ordinal = 0;
  XLA_FFI_Error *error = xla_get_state(frame, &state_types[platform], &state);
  if (!error && platform != PLATFORM_CPU) error = xla_get_stream(frame, &stream);
  if (!error && platform != PLATFORM_CPU) error = xla_get_ordinal(frame, &ordinal);
  if (error) return error;
  const CallSite *site = state;
  Failure failure;
  _Alignas(16) unsigned char packed[PLAN_MAX_PACKED];
  if (arguments_pack(site->plan, frame, packed, &failure) &&
      launcher_launch(site->launcher, site->runtime, ordinal, stream, packed, site->plan->name, &failure))
    return NULL;
  return xla_error(frame->api, &failure);
}

static XLA_FFI_Error *handle(const XLA_FFI_CallFrame *frame, Platform platform, XLA_FFI_Handler_Traits traits) {
  const XLA_FFI_Metadata_Extension *request = xla_metadata_request(frame);
  if (request) {
    xla_reply_metadata(frame, request, traits, state_types[platform]);
    return NULL;
  }
  switch ((int)frame->stage) { /* later headers have more stages, which are not registered */
  case XLA_FFI_ExecutionStage_INSTANTIATE: return instantiate(frame, platform);
  case XLA_FFI_ExecutionStage_PREPARE:
  case XLA_FFI_ExecutionStage_INITIALIZE: return prepare(frame, platform);
  case XLA_FFI_ExecutionStage_EXECUTE: return execute(frame, platform);
  }
  Failure failure;
  fail(&failure, XLA_FFI_Error_Code_UNIMPLEMENTED, "flydsl: stage %d of a call is not known here", (int)frame->stage);
  return xla_error(frame->api, &failure);
}

#define HANDLER(name, platform, traits) \
  FLYDSL_JAX_API XLA_FFI_Error *name(XLA_FFI_CallFrame *frame) { return handle(frame, platform, traits); }

HANDLER(flydsl_jax_cpu, PLATFORM_CPU, 0)
HANDLER(flydsl_jax_rocm, PLATFORM_ROCM, XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE)
HANDLER(flydsl_jax_rocm_nograph, PLATFORM_ROCM, 0)
HANDLER(flydsl_jax_cuda, PLATFORM_CUDA, XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE)
HANDLER(flydsl_jax_cuda_nograph, PLATFORM_CUDA, 0)

FLYDSL_JAX_API XLA_FFI_TypeId *flydsl_jax_state_type(int32_t platform) {
  return platform >= 0 && platform < PLATFORMS ? &state_types[platform] : NULL;
}

FLYDSL_JAX_API const XLA_FFI_TypeInfo *flydsl_jax_state_info(void) { return &state_info; }

FLYDSL_JAX_API void flydsl_jax_counts(FlydslJaxCounts *counts) {
  counts->instantiated = atomic_load(&instantiated_count);
  counts->destroyed = atomic_load(&destroyed_count);
  launcher_counts(&counts->opened, &counts->loaded);
}
