#pragma once
// The keys of `aside`: those who write them and those who look them up make them here.

#include <string>
#include <string_view>

#include "api/request_key.h"

namespace tapedeck::cassettes {

/// Of a part of a compound: its own call's, without the first label of the API's name.
[[nodiscard]] inline std::string part_key(const api::RequestKey& call) { return call.with_label({}); }

/// Of an answer to these conditions (api::conditions_of): no key's text has a line break in it.
[[nodiscard]] inline std::string condition_key(std::string_view key_text, std::string_view conditions) {
  return std::string(key_text) + "\n" + std::string(conditions);
}

}  // namespace tapedeck::cassettes
