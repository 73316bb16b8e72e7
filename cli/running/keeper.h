#pragma once
// The keeper (semantics §6): a small process beside a recorder that holds what the recorder has learned, in memory
// alone, and finishes the recording when the recorder dies.

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "cli/running/shared_log.h"

namespace tapedeck::cli {

/// What a keeper finds when its recorder has died.
struct Inheritance {
  std::string text;                     ///< as it was handed over
  std::vector<base::Descriptor> files;  ///< the same
  const SharedLog& log;                 ///< what was told
};

/// The recorder's end. The process has a session of its own, is nobody's child but init's, ignores INT, TERM and HUP,
/// and has nothing open but the way to its recorder and what was handed over. It goes when the recorder says so, and
/// when it dies before it has handed over anything.
class Keeper {
 public:
  /// `finish` is called in the other process, which is as this one was when the constructor was called, and ends then.
  /// Call it while there is one thread. Where no process can be made there is none (is_there()). A recorder that is
  /// process 1 has none: all others die with it.
  explicit Keeper(const std::function<void(Inheritance)>& finish);
  /// Lets it go.
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// Once. The descriptors stay open here.
  void hand_over(std::string_view text, const std::vector<int>& files);
  /// The keeper has it as soon as this is back. From any thread. What there is no room for ends the keeper: it would
  /// call a recording clean that is not.
  void tell(std::string_view entry);
  /// The recording is finished: the keeper goes. Waits for its end, which lets go of its locks, but not for long.
  void dismiss();

  /// It is alive and has all that it was told. From any thread.
  [[nodiscard]] bool is_there() const;
  /// There should be one, and is none. From any thread.
  [[nodiscard]] bool is_lost() const { return is_wanted_ && !is_there(); }
  /// 0: there is none.
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  std::unique_ptr<SharedLog> log_;
  base::Descriptor way_;  ///< a socket; closed at its other end when the keeper has died
  bool is_wanted_ = true;
  pid_t pid_ = 0;
  std::atomic<bool> is_full_ = false;
};

}  // namespace tapedeck::cli
