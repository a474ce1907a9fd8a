// In: begin and end of captures, and explicit nodes; out: graphs that run again and again.
#include "graph.h"

#include <algorithm>
#include <utility>

#include "copy.h"
#include "launch.h"
#include "misuse.h"

namespace hipsim {
namespace {

struct Executable {
  Device *device;
  std::vector<std::shared_ptr<Node>> nodes;
};

Registry<Graph> &graphs() {
  static auto *instance = new Registry<Graph>("graph");
  return *instance;
}

Registry<Executable> &executables() {
  static auto *instance = new Registry<Executable>("executable graph");
  return *instance;
}

Registry<Node> &nodes() {
  static auto *instance = new Registry<Node>("graph node");
  return *instance;
}

uint64_t next_capture() {
  static std::atomic<uint64_t> counter{1};
  return counter++;
}

// Stream 0 waits for blocking streams, so not while one of them is captured.
void refuse_implicit(Stream &stream) {
  if (!(stream.flags & kNullStream)) return;
  for (const auto &other : stream.device.streams())
    if (other->capture && !(other->flags & kNonBlockingStream)) {
      other->capture->invalidate();
      fail(kStreamCaptureImplicit, "stream 0 waits for a stream that is being captured");
    }
}

} // namespace

Mutex &capture_mutex() {
  static auto *instance = new Mutex;
  return *instance;
}

Capture::Capture(Stream &origin) : id(next_capture()), origin_(&origin) { graph->device = &origin.device; }

void Capture::add(Stream &stream, NodeType type, Run run) {
  if (!valid_) fail(kStreamCaptureInvalidated, "an earlier call broke the capture");
  graph->nodes.push_back(std::make_shared<Node>(Node{type, std::move(run)}));
  ++sequence_;
  if (auto found = others_.find(&stream); found != others_.end()) found->second.last = sequence_;
}

void Capture::fork(const std::shared_ptr<Stream> &stream) {
  if (stream.get() == origin_) return;
  others_[stream.get()] = {stream, ++sequence_, 0};
  stream->capture = origin_->capture;
}

uint64_t Capture::position(const Stream &stream) const {
  auto found = others_.find(&stream);
  return found == others_.end() ? sequence_ : found->second.last;
}

void Capture::join(const Stream &stream, uint64_t position) {
  auto found = others_.find(&stream);
  if (found != others_.end()) found->second.joined = std::max(found->second.joined, position);
}

bool Capture::is_joined() const {
  for (const auto &[stream, progress] : others_)
    if (progress.joined < progress.last) return false;
  return true;
}

void Capture::release(Stream &origin) {
  for (auto &[stream, progress] : others_) progress.stream->capture = nullptr;
  others_.clear();
  origin.capture = nullptr;
}

void submit(Stream &stream, NodeType type, Run run) {
  {
    std::lock_guard lock(capture_mutex());
    if (stream.capture) return stream.capture->add(stream, type, std::move(run));
    refuse_implicit(stream);
  }
  stream.enqueue(std::move(run));
}

PointPtr submit_now(Stream &stream, Run run, const char *function, StoppedPtr stopped) {
  stream.refuse_capture(function);
  {
    std::lock_guard lock(capture_mutex());
    refuse_implicit(stream);
  }
  return stream.enqueue(std::move(run), false, std::move(stopped));
}

void submit_and_wait(Stream &stream, Run run, const char *function) {
  submit_now(stream, std::move(run), function)->wait();
  stream.device.check_fault();
}

bool is_captured(const Stream &stream) {
  std::lock_guard lock(capture_mutex());
  return stream.capture != nullptr;
}

void abandon_capture(Stream &stream) {
  std::lock_guard lock(capture_mutex());
  if (!stream.capture) return;
  stream.capture->invalidate();
  if (stream.capture->is_origin(stream)) std::shared_ptr(stream.capture)->release(stream);
}

} // namespace hipsim

using namespace hipsim;

HIPSIM_EXPORT Error hipStreamBeginCapture(Handle handle, int mode) {
  return entry("hipStreamBeginCapture", [&] {
    if (mode < 0 || mode > 2) fail(kInvalidValue, "the capture mode is %d, expected 0 to 2", mode);
    auto stream = find_stream(handle);
    if (stream->flags & kNullStream) fail(kStreamCaptureUnsupported, "stream 0 cannot be captured");
    std::lock_guard lock(capture_mutex());
    if (stream->capture) fail(kIllegalState, "the stream is being captured already");
    stream->capture = std::make_shared<Capture>(*stream);
  });
}

HIPSIM_EXPORT Error hipStreamEndCapture(Handle handle, Handle *result) {
  return entry("hipStreamEndCapture", [&] {
    require(result, "graph");
    *result = nullptr;
    auto stream = find_stream(handle);
    std::lock_guard lock(capture_mutex());
    auto capture = stream->capture;
    if (!capture) fail(kIllegalState, "the stream is not being captured");
    if (!capture->is_origin(*stream)) fail(kStreamCaptureUnmatched, "the capture began in another stream");
    const bool joined = capture->is_joined();
    capture->release(*stream);
    if (!capture->is_valid()) fail(kStreamCaptureInvalidated, "an earlier call broke the capture");
    if (!joined) fail(kStreamCaptureUnjoined, "a stream joined the capture, and nothing waited for its work");
    *result = graphs().add(capture->graph);
  });
}

HIPSIM_EXPORT Error hipStreamIsCapturing(Handle handle, CaptureStatus *status) {
  return entry("hipStreamIsCapturing", [&] {
    require(status, "status");
    auto stream = find_stream(handle);
    std::lock_guard lock(capture_mutex());
    *status = !stream->capture ? kNotCapturing : stream->capture->is_valid() ? kCapturing : kInvalidated;
  });
}

HIPSIM_EXPORT Error hipStreamGetCaptureInfo(Handle handle, CaptureStatus *status, unsigned long long *id) {
  return entry("hipStreamGetCaptureInfo", [&] {
    require(status, "status");
    auto stream = find_stream(handle);
    std::lock_guard lock(capture_mutex());
    *status = !stream->capture ? kNotCapturing : stream->capture->is_valid() ? kCapturing : kInvalidated;
    if (id) *id = stream->capture ? stream->capture->id : 0;
  });
}

HIPSIM_EXPORT Error hipThreadExchangeStreamCaptureMode(int *mode) {
  return entry("hipThreadExchangeStreamCaptureMode", [&] {
    require(mode, "mode");
    if (*mode < 0 || *mode > 2) fail(kInvalidValue, "the capture mode is %d, expected 0 to 2", *mode);
    thread_local int own = 0;
    std::swap(own, *mode);
  });
}

HIPSIM_EXPORT Error hipGraphCreate(Handle *result, uint32_t flags) {
  return entry("hipGraphCreate", [&] {
    require(result, "graph");
    if (flags) fail(kInvalidValue, "flags are %u, expected 0", flags);
    auto graph = std::make_shared<Graph>();
    graph->device = &working_device();
    *result = graphs().add(graph);
  });
}

HIPSIM_EXPORT Error hipGraphDestroy(Handle handle) {
  return entry("hipGraphDestroy", [&] { graphs().remove(handle); });
}

HIPSIM_EXPORT Error hipGraphGetNodes(Handle handle, Handle *result, size_t *count) {
  return entry("hipGraphGetNodes", [&] {
    require(count, "count");
    auto graph = graphs().get(handle);
    for (size_t i = 0; result && i < *count; ++i)
      result[i] = i < graph->nodes.size() ? nodes().add(graph->nodes[i]) : nullptr;
    *count = result ? std::min(*count, graph->nodes.size()) : graph->nodes.size();
  });
}

HIPSIM_EXPORT Error hipGraphNodeGetType(Handle handle, NodeType *type) {
  return entry("hipGraphNodeGetType", [&] { require(type, "type"), *type = nodes().get(handle)->type; });
}

namespace {

// A node whose dependencies exist already, so the order of adding is an order of running.
void add_node(Handle *result, Handle graph, const Handle *dependencies, size_t count, NodeType type, Run run) {
  require(result, "node");
  auto to = graphs().get(graph);
  if (count) require(dependencies, "dependencies");
  for (size_t i = 0; i < count; ++i) nodes().get(dependencies[i]);
  auto node = std::make_shared<Node>(Node{type, std::move(run)});
  to->nodes.push_back(node);
  *result = nodes().add(node);
}

void instantiate(Handle *result, Handle handle) {
  require(result, "executable graph");
  auto graph = graphs().get(handle);
  *result = executables().add(std::make_shared<Executable>(Executable{graph->device, graph->nodes}));
}

void run_all(const Executable &executable) {
  for (const auto &node : executable.nodes)
    if (node->run && !executable.device->has_fault() && !executable.device->is_stopping()) node->run();
}

} // namespace

HIPSIM_EXPORT Error hipGraphAddEmptyNode(Handle *result, Handle graph, const Handle *dependencies, size_t count) {
  return entry("hipGraphAddEmptyNode", [&] { add_node(result, graph, dependencies, count, kEmptyNode, nullptr); });
}

HIPSIM_EXPORT Error hipGraphAddKernelNode(Handle *result, Handle graph, const Handle *dependencies, size_t count,
                                          const KernelNodeParams *params) {
  return entry("hipGraphAddKernelNode", [&] {
    require(params, "parameters");
    const LaunchShape shape{params->grid, params->block, params->shared_bytes};
    auto to = graphs().get(graph);
    Prepared prepared = prepare_launch(params->function, *to->device, shape, params->params, params->extra, true);
    add_node(result, graph, dependencies, count, kKernelNode, std::move(prepared.run));
  });
}

HIPSIM_EXPORT Error hipGraphAddMemcpyNode1D(Handle *result, Handle graph, const Handle *dependencies, size_t count,
                                            void *to, const void *from, size_t size, CopyKind kind) {
  return entry("hipGraphAddMemcpyNode1D", [&] {
    add_node(result, graph, dependencies, count, kMemcpyNode, prepare_copy({to, from, size, 1, size, size}, kind));
  });
}

HIPSIM_EXPORT Error hipGraphAddMemsetNode(Handle *result, Handle graph, const Handle *dependencies, size_t count,
                                          const MemsetParams *params) {
  return entry("hipGraphAddMemsetNode", [&] {
    require(params, "parameters");
    const size_t width = params->width * params->element_size;
    add_node(result, graph, dependencies, count, kMemsetNode,
             prepare_set({params->destination, params->height > 1 ? params->pitch : width, width, params->height},
                         params->value, params->element_size));
  });
}

HIPSIM_EXPORT Error hipGraphAddHostNode(Handle *result, Handle graph, const Handle *dependencies, size_t count,
                                        const HostNodeParams *params) {
  return entry("hipGraphAddHostNode", [&] {
    require(params, "parameters"), require(reinterpret_cast<void *>(params->function), "function");
    const HostNodeParams host = *params;
    add_node(result, graph, dependencies, count, kHostNode, [host] { host.function(host.data); });
  });
}

HIPSIM_EXPORT Error hipGraphInstantiate(Handle *result, Handle graph, Handle *error_node, char *log, size_t log_size) {
  return entry("hipGraphInstantiate", [&] {
    if (error_node) *error_node = nullptr;
    if (log && log_size) *log = 0;
    instantiate(result, graph);
  });
}

HIPSIM_EXPORT Error hipGraphInstantiateWithFlags(Handle *result, Handle graph, unsigned long long) {
  return entry("hipGraphInstantiateWithFlags", [&] { instantiate(result, graph); });
}

HIPSIM_EXPORT Error hipGraphUpload(Handle executable, Handle stream) {
  return entry("hipGraphUpload", [&] { executables().get(executable), find_stream(stream); });
}

HIPSIM_EXPORT Error hipGraphLaunch(Handle handle, Handle stream) {
  return entry("hipGraphLaunch", [&] {
    auto executable = executables().get(handle);
    auto to = find_stream(stream);
    if (&to->device != executable->device)
      fail(kInvalidHandle, "the graph is of device %d, the stream of device %d", executable->device->ordinal,
           to->device.ordinal);
    submit(*to, kGraphNode, [executable] { run_all(*executable); });
  });
}

HIPSIM_EXPORT Error hipGraphExecDestroy(Handle handle) {
  return entry("hipGraphExecDestroy", [&] { executables().remove(handle); });
}

namespace hipsim {

std::string graph_leaks() {
  const size_t built = graphs().all().size(), executable = executables().all().size();
  if (!built && !executable) return "";
  return "leaked: " + std::to_string(built) + " graphs and " + std::to_string(executable) + " executable graphs\n";
}

} // namespace hipsim
