#pragma once
// Bodies are packed beside the thread that writes them.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "cassettes/file/body_codec.h"

namespace tapedeck::cassettes {

/// Packs bodies one after the other, in the order in which they were given: on a thread of its own, or where it is
/// called. There is one packer either way, and it sees the same, so that what comes out is the same.
class PackingLine {
 public:
  PackingLine(Packing packing, std::string_view dictionary, bool own_thread);
  /// Gives up what was not taken.
  ~PackingLine();
  PackingLine(const PackingLine&) = delete;
  PackingLine& operator=(const PackingLine&) = delete;

  /// `body` must stay until it was taken, or the line is gone.
  void give(std::string_view body);
  struct Packed {
    BodyEncoding encoding = BodyEncoding::plain;
    std::string bytes;  ///< empty of a plain one: it is the body
  };
  /// The first that was given and not taken; waits for it. Throws what packing it has thrown.
  [[nodiscard]] Packed take();

 private:
  struct Job {
    std::string_view body;
    Packed packed;
    std::exception_ptr fault;
    bool done = false;
  };
  void run();
  void pack(Job& job) noexcept;

  BodyPacker packer_;  ///< the thread's alone, if there is one
  std::mutex mutex_;   ///< guards what follows
  std::condition_variable changed_;
  std::deque<Job> jobs_;  ///< in order; the first `done_` of them are packed
  std::size_t done_ = 0;
  bool wanted_ = false;  ///< take() waits
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tapedeck::cassettes
