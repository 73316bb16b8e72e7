#include "tools/exchange/in_order.h"

#include <vector>

#include "tools/content/stopped.h"

namespace tapedeck::tools {

void each_in_order(const cassettes::CassetteReader& cassette, const ExportRange& range,
                   const std::function<void(const cassettes::FullInteraction&)>& visit) {
  std::vector<std::int64_t> wanted;
  cassette.list([&](const cassettes::ListedInteraction& line) {
    if (!range.wanted || range.wanted(line)) wanted.push_back(line.interaction);
    return true;
  });
  std::uint64_t done = 0;
  for (const std::int64_t interaction : wanted) {
    visit(cassette.at(interaction));
    if (range.progress && !range.progress(++done, wanted.size())) throw Stopped();
  }
}

}  // namespace tapedeck::tools
