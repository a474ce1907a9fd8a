/* The functions of XLA that the handler calls. They read structs as XLA of that version does, by their offsets. */
#include "fake_xla.h"

static XLA_FFI_Error *make_error(XLA_FFI_Error_Code code, const char *message) {
  XLA_FFI_Error *error = malloc(sizeof *error);
  CHECK(error);
  error->code = code;
  snprintf(error->message, sizeof error->message, "%s", message);
  return error;
}

static XLA_FFI_Error *create_error(XLA_FFI_Error_Create_Args *arguments) {
  CHECK(arguments->struct_size == XLA_FFI_Error_Create_Args_STRUCT_SIZE);
  CHECK(arguments->errc != XLA_FFI_Error_Code_OK && arguments->message[0]);
  return make_error(arguments->errc, arguments->message);
}

static XLA_FFI_Error *refuse(const XLA_FFI_InvokeContext *context, const char *function) {
  if (!context->failing || strcmp(context->failing, function) != 0) return NULL;
  return make_error(XLA_FFI_Error_Code_ABORTED, function);
}

/* The arguments of State_Get and State_Set: from 0.3 on a stage lies before the last two. */
typedef struct State {
  XLA_FFI_InvokeContext *context;
  XLA_FFI_TypeId *type;
  void **state;
} State;

static State read_state(void *arguments) {
  char *bytes = arguments;
  State state;
  size_t size;
  memcpy(&size, bytes, sizeof size);
  memcpy(&state.context, bytes + 16, sizeof state.context);
  const size_t shift = state.context->minor >= 3 ? 8 : 0;
  CHECK(size == 40 + shift);
  if (shift) {
    int32_t stage;
    memcpy(&stage, bytes + 24, sizeof stage);
    CHECK(stage == XLA_FFI_ExecutionStage_INSTANTIATE);
  }
  memcpy(&state.type, bytes + 24 + shift, sizeof state.type);
  state.state = (void **)(bytes + 32 + shift);
  return state;
}

static XLA_FFI_Error *set_state(XLA_FFI_State_Set_Args *arguments) {
  const State state = read_state(arguments);
  XLA_FFI_Error *error = refuse(state.context, "State_Set");
  if (error) return error;
  CHECK(!state.context->state);
  state.context->state = *state.state;
  state.context->state_type = state.type->type_id;
  return NULL;
}

static XLA_FFI_Error *get_state(XLA_FFI_State_Get_Args *arguments) {
  const State state = read_state(arguments);
  XLA_FFI_Error *error = refuse(state.context, "State_Get");
  if (error) return error;
  if (!state.context->state) return make_error(XLA_FFI_Error_Code_NOT_FOUND, "the state is not set");
  CHECK(state.context->state_type == state.type->type_id);
  *state.state = state.context->state;
  return NULL;
}

static XLA_FFI_Error *get_stream(XLA_FFI_Stream_Get_Args *arguments) {
  CHECK(arguments->struct_size == XLA_FFI_Stream_Get_Args_STRUCT_SIZE);
  arguments->stream = arguments->ctx->stream;
  return refuse(arguments->ctx, "Stream_Get");
}

static XLA_FFI_Error *get_ordinal(XLA_FFI_DeviceOrdinal_Get_Args *arguments) {
  CHECK(arguments->struct_size == XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE);
  arguments->device_ordinal = arguments->ctx->ordinal;
  return refuse(arguments->ctx, "DeviceOrdinal_Get");
}

static XLA_FFI_Api api_of(int minor) {
  return (XLA_FFI_Api){.struct_size = XLA_FFI_Api_STRUCT_SIZE,
                       .api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, NULL, XLA_FFI_API_MAJOR, minor},
                       .XLA_FFI_Error_Create = create_error,
                       .XLA_FFI_State_Set = set_state,
                       .XLA_FFI_State_Get = get_state,
                       .XLA_FFI_Stream_Get = get_stream,
                       .XLA_FFI_DeviceOrdinal_Get = get_ordinal};
}

void call_init(Call *call, int minor) {
  memset(call, 0, sizeof *call);
  call->api = api_of(minor);
  call->context.minor = minor;
  XLA_FFI_CallFrame *frame = &call->frame;
  frame->struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame->api = &call->api;
  frame->ctx = &call->context;
  frame->args = (XLA_FFI_Args){XLA_FFI_Args_STRUCT_SIZE, NULL, 0, (void *)call->item_types[0], call->items[0]};
  frame->rets = (XLA_FFI_Rets){XLA_FFI_Rets_STRUCT_SIZE, NULL, 0, (void *)call->item_types[1], call->items[1]};
  frame->attrs =
      (XLA_FFI_Attrs){XLA_FFI_Attrs_STRUCT_SIZE, NULL, 0, call->attribute_types, call->name_items, call->attributes};
}

void call_add_buffer(Call *call, bool is_output, XLA_FFI_DataType type, void *data, int64_t rank, int64_t *dims) {
  const int64_t i = is_output ? call->frame.rets.size++ : call->frame.args.size++;
  CHECK(i < MAX_ITEMS);
  call->buffers[is_output][i] = (XLA_FFI_Buffer){XLA_FFI_Buffer_STRUCT_SIZE, NULL, type, data, rank, dims};
  call->items[is_output][i] = &call->buffers[is_output][i];
  call->item_types[is_output][i] = XLA_FFI_ArgType_BUFFER;
}

void call_add_string(Call *call, const char *name, const void *bytes, size_t size) {
  const int64_t i = call->frame.attrs.size++;
  CHECK(i < MAX_ITEMS);
  call->names[i] = (XLA_FFI_ByteSpan){name, strlen(name)};
  call->strings[i] = (XLA_FFI_ByteSpan){bytes, size};
  call->name_items[i] = &call->names[i];
  call->attributes[i] = &call->strings[i];
  call->attribute_types[i] = XLA_FFI_AttrType_STRING;
}

XLA_FFI_Error *call_run(Call *call, XLA_FFI_Handler *handler, XLA_FFI_ExecutionStage stage) {
  call->frame.stage = stage;
  return handler(&call->frame);
}

void call_succeed(Call *call, XLA_FFI_Handler *handler, XLA_FFI_ExecutionStage stage) {
  const XLA_FFI_Error *error = call_run(call, handler, stage);
  if (!error) return;
  fprintf(stderr, "stage %d: %d: %s\n", (int)stage, (int)error->code, error->message);
  abort();
}

void call_fail(Call *call, XLA_FFI_Handler *handler, XLA_FFI_ExecutionStage stage, XLA_FFI_Error_Code code,
               const char *text) {
  XLA_FFI_Error *error = call_run(call, handler, stage);
  if (!error || error->code != code || !strstr(error->message, text)) {
    fprintf(stderr, "stage %d: expected %d: %s\nfound %d: %s\n", (int)stage, (int)code, text,
            error ? (int)error->code : 0, error ? error->message : "");
    abort();
  }
  free(error);
}

void call_destroy(Call *call, const XLA_FFI_TypeInfo *info) {
  info->deleter(call->context.state);
  call->context.state = NULL;
}

XLA_FFI_Metadata call_metadata(XLA_FFI_Handler *handler, int minor) {
  Call call;
  call_init(&call, minor);
  XLA_FFI_Metadata metadata = {.struct_size = XLA_FFI_Metadata_STRUCT_SIZE, .state_type_id = {-7}};
  XLA_FFI_Metadata_Extension request = {{XLA_FFI_Metadata_Extension_STRUCT_SIZE, XLA_FFI_Extension_Metadata, NULL},
                                        &metadata};
  XLA_FFI_InternalExtension other = {XLA_FFI_InternalExtension_STRUCT_SIZE, (XLA_FFI_InternalExtension_Type)99,
                                     &request.extension_base};
  call.frame.extension_start = &other;
  CHECK(!handler(&call.frame));
  return metadata;
}
