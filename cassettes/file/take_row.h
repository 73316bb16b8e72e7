#pragma once
// One row of the table `take`.

#include <cstdint>
#include <string>

#include "api/request_key.h"
#include "cassettes/file/format.h"

namespace tapedeck::cassettes {

struct TakeRow {
  std::uint32_t number = 0;
  std::string id;  ///< random, take_name_size bytes
  std::int64_t started_us = 0, ended_us = 0;
  std::string tool_version;
  int key_policy = api::KeyPolicy::current_number;
  std::string scrub_policy;
  std::string base_path;
  std::string note, model, firmware;
  bool finished = false;
  bool verified = false;
  bool continues = false;  ///< TakeInfo::continues
  bool operator==(const TakeRow&) const = default;
};

}  // namespace tapedeck::cassettes
