#pragma once
// Bodies are packed beside the thread that writes them.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "cassettes/file/body_codec.h"

namespace tapedeck::cassettes {

/// Packs bodies in the order in which they were given: where it is called, or there and on a thread of its own. What a
/// body is packed into depends on nothing that was packed before, so what comes out is the same.
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
  /// The first that was given and not taken; packs others until it is there, or waits for it. Throws what packing it
  /// has thrown.
  [[nodiscard]] Packed take();

 private:
  struct Job {
    std::string_view body;
    Packed packed;
    std::exception_ptr fault;
    bool done = false;
  };
  void run();
  [[nodiscard]] std::size_t left() const { return jobs_.size() - begun_; }
  /// Begins with the first job that is left. `lock` is held before and after.
  void pack_next(BodyPacker& packer, std::unique_lock<std::mutex>& lock);

  BodyPacker here_;                   ///< the caller's
  std::optional<BodyPacker> beside_;  ///< the thread's, if there is one
  std::mutex mutex_;                  ///< guards what follows
  std::condition_variable changed_;
  std::deque<Job> jobs_;   ///< in order
  std::size_t begun_ = 0;  ///< so many of the first ones are packed, or being packed
  bool wanted_ = false;    ///< take() waits for what the thread packs
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tapedeck::cassettes
