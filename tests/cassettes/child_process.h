#pragma once
// A forked child that reports through a pipe, for tests that kill a recorder.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

namespace tapedeck::testing {

/// Sends numbers from the child to the test, in order. A sent number is not lost if the child ends.
class Child {
 public:
  using Send = std::function<void(std::uint32_t)>;

  explicit Child(const std::function<void(const Send&)>& body) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("no child process");
    if (process_ == 0) {
      close(ends[0]);
      try {
        body([&](std::uint32_t number) {
          if (write(ends[1], &number, sizeof number) != sizeof number) _exit(3);
        });
      } catch (...) {
        _exit(2);
      }
      _exit(0);
    }
    close(ends[1]);
    reports_ = ends[0];
  }
  ~Child() {
    end();
    close(reports_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits for `count` more numbers; returns fewer if the child ends first.
  std::vector<std::uint32_t> receive(std::size_t count) {
    std::vector<std::uint32_t> numbers;
    std::uint32_t number = 0;
    while (numbers.size() < count && read(reports_, &number, sizeof number) == sizeof number) numbers.push_back(number);
    return numbers;
  }
  std::vector<std::uint32_t> receive_all() { return receive(SIZE_MAX); }

  /// Sends SIGKILL unless it has ended. Returns its wait status.
  int end() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, &status_, 0);
      process_ = 0;
    }
    return status_;
  }
  /// Waits until it ends by itself.
  int wait() {
    if (process_ > 0) waitpid(process_, &status_, 0);
    process_ = 0;
    return status_;
  }
  [[nodiscard]] pid_t process() const { return process_; }

 private:
  pid_t process_ = 0;
  int reports_ = -1;
  int status_ = 0;
};

}  // namespace tapedeck::testing
