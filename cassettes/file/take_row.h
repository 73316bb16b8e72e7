#pragma once
// One row of the table `take`.

#include <cstdint>
#include <string>

namespace tapedeck::cassettes {

/// Bytes of a take's random id.
inline constexpr std::size_t take_id_size = 16;

struct TakeRow {
  std::uint32_t number = 0;
  std::string id;
  std::int64_t started_us = 0, ended_us = 0;
  std::string tool_version;
  int key_policy = 1;
  std::string scrub_policy;
  std::string base_path;
  std::string note, model, firmware;
  bool finished = false;
  bool verified = false;
  bool operator==(const TakeRow&) const = default;
};

}  // namespace tapedeck::cassettes
