#include "cassettes/finish/scrubbed_again.h"

#include <map>
#include <utility>

namespace tapedeck::cassettes {

std::vector<Added> added_redactions(const std::vector<scrubbers::Redaction>& before,
                                    const std::vector<scrubbers::Redaction>& after) {
  std::map<std::pair<scrubbers::Part, std::string>, std::int64_t> counts;
  for (const scrubbers::Redaction& redaction : after) ++counts[{redaction.part, redaction.rule}];
  for (const scrubbers::Redaction& redaction : before) --counts[{redaction.part, redaction.rule}];
  std::vector<Added> added;
  for (const auto& [what, count] : counts) {
    if (count > 0) added.push_back({what.first, what.second, static_cast<std::uint64_t>(count)});
  }
  return added;
}

}  // namespace tapedeck::cassettes
