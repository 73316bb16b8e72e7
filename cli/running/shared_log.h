#pragma once
// Texts that one process adds and another one can read when the first has died: in memory that both have, that is
// neither swapped nor dumped where the system allows it, and on no disk.

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>

namespace tapedeck::cli {

/// Made before the fork; each process has its own object over the same memory. What was added is there as soon as add()
/// is back, whatever happens to the process then.
class SharedLog {
 public:
  static constexpr std::size_t most = std::size_t{256} << 20;  ///< bytes; only what is used takes memory

  /// Throws std::runtime_error.
  SharedLog();
  ~SharedLog();
  SharedLog(const SharedLog&) = delete;
  SharedLog& operator=(const SharedLog&) = delete;

  enum class Added {
    here,      ///< in memory that was locked before
    in_block,  ///< in memory that this process has just locked: the other one should (lock_used())
    nowhere,   ///< there is no room
  };
  /// From any thread of the one process that adds.
  [[nodiscard]] Added add(std::string_view text);
  /// Locks this process's view of what is used by now. A lock is not inherited, and goes with the process that set it.
  void lock_used();
  /// In the order in which they were added; of one whose process died within add(), nothing. Nobody may add meanwhile.
  void each(const std::function<void(std::string_view text)>& visit) const;
  /// Overwrites what is there.
  void wipe();

 private:
  [[nodiscard]] std::atomic<std::uint64_t>& used() const;
  [[nodiscard]] bool lock_up_to(std::size_t end);

  char* memory_ = nullptr;
  std::mutex mutex_;        ///< guards what follows
  std::size_t locked_ = 0;  ///< by this process, from the beginning
};

}  // namespace tapedeck::cli
