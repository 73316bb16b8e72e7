#pragma once
// Child processes, temporary folders, and curl, for tests of the built program.

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tapedeck::tests {

using std::chrono::milliseconds;

/// A temporary folder that is removed at the end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view content);

struct Spawn {
  std::vector<std::string> argv;                         ///< argv[0] is searched for in PATH
  std::vector<std::pair<std::string, std::string>> env;  ///< added to the environment of the test
  std::string folder;                                    ///< working folder; empty: that of the test
  std::string out, err;                                  ///< files for the output
};

/// A child process with an empty standard input. The destructor kills it by its pid and waits for it.
class Child {
 public:
  explicit Child(const Spawn& spawn);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Returns the exit status, 128 + signal for a killed one, or nothing after `timeout`.
  std::optional<int> wait(milliseconds timeout = milliseconds(20000));
  void signal(int number) const;
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] std::string out() const { return read_file(out_); }
  [[nodiscard]] std::string err() const { return read_file(err_); }

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
  std::string out_, err_;
};

struct Ran {
  int status = -1;  ///< -1: a timeout
  std::string out, err;
};
[[nodiscard]] Ran run(std::vector<std::string> argv, milliseconds timeout = milliseconds(30000),
                      std::vector<std::pair<std::string, std::string>> env = {});
[[nodiscard]] bool has_program(const std::string& name);

/// Returns true once the file exists, false if `child` has ended or after `timeout`.
[[nodiscard]] bool wait_for_file(const std::string& path, Child& child, milliseconds timeout = milliseconds(20000));

/// The result of curl.
struct Reply {
  int exit = -1;                                             ///< of curl
  int status = 0;                                            ///< of HTTP
  std::vector<std::pair<std::string, std::string>> headers;  ///< names in lower case
  std::string body;
  unsigned connects = 0;                                          ///< number of new connections
  [[nodiscard]] std::string header(std::string_view name) const;  ///< Returns the first value, or "".
};
/// Sends what `curl ARGUMENTS` sends: curl's library does if it can, else the program. Uses no configuration file or
/// proxy, HTTP/1.1, and at most 20 s.
[[nodiscard]] Reply curl(const std::vector<std::string>& arguments);

}  // namespace tapedeck::tests
