#include "tools/exchange/stored_key.h"

#include <algorithm>
#include <stdexcept>

namespace tapedeck::tools {

api::RequestKey key_of(const scrubbers::InteractionRecord& record, const cassettes::TakeRow& take) {
  return api::KeyPolicy(take.key_policy).key(record.request, take.base_path, scrubbers::holes_of(record));
}

const cassettes::TakeRow& take_of(const std::vector<cassettes::TakeRow>& takes, std::uint32_t number) {
  const auto found = std::find_if(takes.begin(), takes.end(), [&](const auto& take) { return take.number == number; });
  if (found == takes.end()) throw std::out_of_range("no take " + std::to_string(number));
  return *found;
}

}  // namespace tapedeck::tools
