#pragma once
// What the commands that look for leaks have in common.

#include <string>
#include <vector>

namespace tapedeck::cli {

class Command;

/// An option that takes a finding's fingerprint and may be given again; anything else is a usage error.
void add_fingerprints(Command& command, const char* name, std::vector<std::string>& fingerprints, const char* text);

}  // namespace tapedeck::cli
