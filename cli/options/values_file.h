#pragma once
// Reads the values of --values, which a user wants to search for or remove. They come from a file or from standard
// input, and never from the command line, where other users could read them.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::cli {

/// Calls `value` for each line that is not blank, with any line ending and without a byte order mark. Wipes the text
/// afterwards. "-" is standard input. Returns the number of values. Throws UsageError if the file cannot be read
/// completely, is UTF-16, or contains no value, because a check with an empty list would always pass.
std::size_t each_value(const std::string& file, const std::function<void(std::string_view value)>& value);

class Command;

/// Adds a repeatable option that takes the fingerprint of a finding. Any other text is a usage error.
void add_fingerprints(Command& command, const char* name, std::vector<std::string>& fingerprints, const char* text);

}  // namespace tapedeck::cli
