#include "cli/options/values_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/descriptor.h"
#include "base/wipe.h"
#include "cli/arguments/values.h"
#include "cli/console/usage_error.h"
#include "scan/leak_scan.h"

namespace tapedeck::cli {
namespace {

[[noreturn]] void fail(const std::string& file, const std::string& why) {
  throw UsageError("--values " + file + ": " + why);
}

/// Wipes the text at the end.
class Values {
 public:
  explicit Values(const std::string& file) {
    auto text = file == "-" ? base::read_all(STDIN_FILENO) : base::read_file(file);
    if (!text) fail(file, std::strerror(errno));
    text_ = std::move(*text);
  }
  ~Values() { base::wipe(text_); }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

std::size_t each_value(const std::string& file, const std::function<void(std::string_view value)>& value) {
  using namespace std::string_view_literals;
  const Values values(file);
  std::string_view rest = values.text();
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
