#pragma once
// Child processes, temporary folders and curl, for tests that drive the built program.

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

/// A folder that goes with the object.
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
  std::vector<std::string> argv;                         ///< argv[0] is looked for in PATH
  std::vector<std::pair<std::string, std::string>> env;  ///< added to ours
  std::string folder;                                    ///< working folder; empty: ours
  std::string out, err;                                  ///< files for its output
};

/// One child; killed and reaped by its own pid when the object goes. Its standard input is empty.
class Child {
 public:
  explicit Child(const Spawn& spawn);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// The exit status, 128 + signal for a killed one, nothing when it still runs after `timeout`.
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
  int status = -1;  ///< -1: it did not end in time
  std::string out, err;
};
[[nodiscard]] Ran run(std::vector<std::string> argv, milliseconds timeout = milliseconds(30000),
                      std::vector<std::pair<std::string, std::string>> env = {});
[[nodiscard]] bool has_program(const std::string& name);

/// True once the file is there; false when `child` has ended or `timeout` is over.
[[nodiscard]] bool wait_for_file(const std::string& path, Child& child, milliseconds timeout = milliseconds(20000));

/// What curl got.
struct Reply {
  int exit = -1;                                             ///< curl's own
  int status = 0;                                            ///< of HTTP
  std::vector<std::pair<std::string, std::string>> headers;  ///< names in lower case
  std::string body;
  unsigned connects = 0;                                          ///< new connections that it took
  [[nodiscard]] std::string header(std::string_view name) const;  ///< the first one's value, or ""
};
/// curl with `arguments`, the URL among them: no configuration file, no proxy, HTTP/1.1, at most 20 s.
[[nodiscard]] Reply curl(const std::vector<std::string>& arguments);

}  // namespace tapedeck::tests
