#pragma once
// Proposes parameters to ignore (docs/matching.md, "Looser matching").

#include <cstdint>
#include <string>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::cassettes {

/// A parameter whose values only clients draw, such as the ID of a connection.
struct DrawnParameter {
  std::string api;   ///< without the first label
  std::string name;  ///< decoded
  std::uint64_t requests = 0;
};

/// Returns the parameters, by API and name, all of whose values look drawn by a client, occur in no response, and have
/// no effect on responses: recordings that differ only in it have the same ones. A time in decimal could also be one
/// that a call is about, so it counts only if there are such recordings. The cassettes are read together.
[[nodiscard]] std::vector<DrawnParameter> drawn_parameters(const std::vector<const CassetteReader*>& cassettes);

}  // namespace tapedeck::cassettes
