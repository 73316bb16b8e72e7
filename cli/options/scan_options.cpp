#include "cli/options/scan_options.h"

#include <CLI/CLI.hpp>

#include "scan/leak_scan.h"

namespace tapedeck::cli {

void add_fingerprints(CLI::App& command, const char* name, std::vector<std::string>& fingerprints, const char* text) {
  const auto check = [](const std::string& given) {
    return scan::is_fingerprint(given) ? std::string() : "a fingerprint has 32 hex digits, as the scan shows it";
  };
  command.add_option(name, fingerprints, text)->check(check, "")->type_name("HEX")->allow_extra_args(false);
}

}  // namespace tapedeck::cli
