#pragma once
// `tapedeck` itself as a child process of `tapedeck demo`.

#include <sys/types.h>

#include <string>
#include <vector>

namespace tapedeck::demo {

/// A server of this very program, ready when it is constructed; killed when it goes. The signals that are blocked here
/// are not blocked there.
class ChildProgram {
 public:
  /// `arguments` are those behind the program's name; what it says goes into files in `folder` that begin with `name`.
  /// Throws std::runtime_error with what it said when it does not come up.
  ChildProgram(const std::string& folder, const std::string& name, std::vector<std::string> arguments);
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  /// Where it listens.
  [[nodiscard]] const std::string& url() const { return url_; }
  /// A value of its ready file, such as "ui"; empty without one.
  [[nodiscard]] std::string value(const std::string& name) const;
  /// Ends it in order; its exit status.
  int stop();

 private:
  [[nodiscard]] bool has_ended();
  [[nodiscard]] std::string err() const;
  void wait_until_ready();

  std::string out_, err_, ready_, url_;
  std::vector<std::string> lines_;
  pid_t pid_ = -1;
  int status_ = 0;
};

/// What `tapedeck ARGUMENTS` writes to standard output until it ends. Throws std::runtime_error with what it said when
/// it does not end well.
[[nodiscard]] std::string output_of(const std::string& folder, const std::vector<std::string>& arguments);

}  // namespace tapedeck::demo
