// Captured and built graphs: operations in, the same operations as one operation of a stream out, in the order of
// capture.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "stream.h"

namespace hipsim {

struct Node {
  NodeType type;
  Run run; // empty: nothing to do
};

struct Graph {
  Device *device = nullptr;
  std::vector<std::shared_ptr<Node>> nodes;
};

// Operations of one or more streams on their way into a graph. Guarded by capture_mutex().
class Capture {
public:
  explicit Capture(Stream &origin);

  const uint64_t id;
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();

  void add(Stream &stream, NodeType type, Run run);
  bool is_origin(const Stream &stream) const { return &stream == origin_; }
  bool is_valid() const { return valid_; }
  void invalidate() { valid_ = false; }
  // A stream joined: it waits for an event of this capture.
  void fork(const std::shared_ptr<Stream> &stream);
  // How far a stream is now; what `join` says was waited for by another.
  uint64_t position(const Stream &stream) const;
  void join(const Stream &stream, uint64_t position);
  // Whether work of every stream but the origin was waited for.
  bool is_joined() const;
  // Take no more operations.
  void release(Stream &origin);

private:
  struct Progress {
    std::shared_ptr<Stream> stream;
    uint64_t last, joined;
  };
  Stream *origin_;
  std::map<const Stream *, Progress> others_;
  uint64_t sequence_ = 0;
  bool valid_ = true;
};

Mutex &capture_mutex();

// Enqueue on the stream, or add to what captures it.
void submit(Stream &stream, NodeType type, Run run);
// Enqueue on a stream that must not be captured.
PointPtr submit_now(Stream &stream, Run run, const char *function, StoppedPtr stopped = nullptr);
// The same, and wait.
void submit_and_wait(Stream &stream, Run run, const char *function);
bool is_captured(const Stream &stream);
void abandon_capture(Stream &stream);

} // namespace hipsim
