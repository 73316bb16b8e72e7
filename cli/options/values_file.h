#pragma once
// --values: secrets that people give, to be searched for or taken out. They come from a file or standard input, never
// from the command line, where others could read them.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::cli {

/// Calls `value` for each value, one a line, in any line ending, without a byte order mark and blank lines; what was
/// read is wiped. "-" is standard input. Returns how many there were. Throws UsageError for what cannot be read to its
/// end, for UTF-16, and when there is no value: what a command says of values must not be said of none.
std::size_t each_value(const std::string& file, const std::function<void(std::string_view value)>& value);

class Command;

/// An option that takes a finding's fingerprint and may be given again; anything else is a usage error.
void add_fingerprints(Command& command, const char* name, std::vector<std::string>& fingerprints, const char* text);

}  // namespace tapedeck::cli
