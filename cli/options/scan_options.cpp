#include "cli/options/scan_options.h"

#include "cli/arguments/values.h"
#include "scan/leak_scan.h"

namespace tapedeck::cli {

void add_fingerprints(Command& command, const char* name, std::vector<std::string>& fingerprints, const char* text) {
  const auto check = [](const std::string& given) -> std::optional<std::string> {
    if (scan::is_fingerprint(given)) return std::nullopt;
    return "must be a fingerprint of 32 hex digits, as `tapedeck scan` shows it";
  };
  command.option(name, "HEX", checked(into(fingerprints), check), text);
}

}  // namespace tapedeck::cli
