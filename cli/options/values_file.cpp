#include "cli/options/values_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/descriptor.h"
#include "base/wipe.h"
#include "cli/arguments/values.h"
#include "cli/usage_error.h"
#include "scan/leak_scan.h"

namespace tapedeck::cli {
namespace {

/// A buffer that is wiped when it is destroyed or grows. A growing std::string would leave copies in freed memory.
class Text {
 public:
  Text() = default;
  ~Text() { base::wipe(bytes_); }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  void append(std::string_view more) {
    if (bytes_.size() + more.size() > bytes_.capacity()) {
      std::string larger;
      larger.reserve(std::max(2 * bytes_.capacity(), bytes_.size() + more.size()));
      larger = bytes_;
      base::wipe(bytes_);
      bytes_ = std::move(larger);
    }
    bytes_ += more;
  }
  [[nodiscard]] std::string_view view() const { return bytes_; }

 private:
  std::string bytes_;
};

[[noreturn]] void fail(const std::string& file, const std::string& why) {
  throw UsageError("--values " + file + ": " + why);
}

void read_all(const std::string& file, Text& text) {
  constexpr std::size_t piece = 65'536;
  const base::Descriptor opened(file == "-" ? -1 : ::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (file != "-" && !opened.open()) fail(file, std::strerror(errno));
  std::string buffer(piece, '\0');
  ssize_t got = 0;
  do {
    got = ::read(file == "-" ? STDIN_FILENO : opened.number(), buffer.data(), buffer.size());
    if (got > 0) text.append({buffer.data(), static_cast<std::size_t>(got)});
  } while (got > 0 || (got < 0 && errno == EINTR));
  const int failure = errno;
  base::wipe(buffer);
  if (got < 0) fail(file, std::strerror(failure));
}

}  // namespace

std::size_t each_value(const std::string& file, const std::function<void(std::string_view value)>& value) {
  using namespace std::string_view_literals;
  Text text;
  read_all(file, text);
  std::string_view rest = text.view();
  if (rest.starts_with("\xff\xfe"sv) || rest.starts_with("\xfe\xff"sv)) {
    fail(file, "the file is encoded in UTF-16\nhint: save it as UTF-8");
  }
  if (rest.starts_with("\xef\xbb\xbf"sv)) rest.remove_prefix(3);
  std::size_t count = 0;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.find_first_not_of(" \t") == line.npos) continue;
    value(line);
    ++count;
  }
  if (count == 0) fail(file, "the file contains no values");
  return count;
}

void add_fingerprints(Command& command, const char* name, std::vector<std::string>& fingerprints, const char* text) {
  const auto check = [](const std::string& given) -> std::optional<std::string> {
    if (scan::is_fingerprint(given)) return std::nullopt;
    return "must be a fingerprint of 32 hex digits, as `tapedeck scan` shows it";
  };
  command.option(name, "HEX", checked(into(fingerprints), check), text);
}

}  // namespace tapedeck::cli
