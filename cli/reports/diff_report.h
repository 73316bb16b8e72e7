#pragma once
// What differs between two cassettes, or between a cassette and its device, in words.

#include <string>

#include "tools/diff/cassette_diff.h"

namespace tapedeck::cli {

enum class DiffForm { text, json, markdown };

/// On standard output. Without `with_noise` noise is only counted.
void print_diff(const tools::DiffResult& result, DiffForm form, bool with_noise);

}  // namespace tapedeck::cli
