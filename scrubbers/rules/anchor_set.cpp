#include "scrubbers/rules/anchor_set.h"

#include <algorithm>

namespace tapedeck::scrubbers {

void AnchorSet::add(std::string_view text, Use use) {
  Literals& literals = text.starts_with('$') ? dollar_ : usual_;
  const auto found = std::find(literals.texts.begin(), literals.texts.end(), text);
  const auto number = static_cast<std::size_t>(found - literals.texts.begin());
  if (found == literals.texts.end()) {
    literals.texts.push_back(text);
    literals.uses.emplace_back();
  }
  literals.uses[number].push_back(use);
}

void AnchorSet::compile() {
  for (Literals* literals : {&usual_, &dollar_}) {
    if (!literals->texts.empty()) literals->set = std::make_unique<HyperscanSet>(literals->texts);
  }
}

void AnchorSet::search(std::string_view text, const std::function<void(const Use&, std::size_t at)>& hit) const {
  const auto search_from = [&](const Literals& literals, std::size_t from) {
    if (!literals.set || from >= text.size()) return;
    literals.set->search(text.substr(from), [&](std::size_t at, std::uint32_t number) {
      for (const Use& use : literals.uses[number]) hit(use, from + at);
    });
  };
  search_from(usual_, 0);
  search_from(dollar_, text.find('$'));
}

}  // namespace tapedeck::scrubbers
