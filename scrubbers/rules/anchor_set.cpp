#include "scrubbers/rules/anchor_set.h"

#include <algorithm>

#include "scrubbers/search/opening_marks.h"

namespace tapedeck::scrubbers {

void AnchorSet::Literals::add(std::string_view text, Use use) {
  const auto found = std::find(texts.begin(), texts.end(), text);
  const auto number = static_cast<std::size_t>(found - texts.begin());
  if (found == texts.end()) {
    texts.push_back(text);
    uses.emplace_back();
  }
  uses[number].push_back(use);
}

void AnchorSet::add(std::string_view text, Use use) {
  (text.starts_with('$') ? dollar_ : usual_).add(text, use);
  if (text.find_first_of(opening_marks) == std::string_view::npos) plain_.add(text, use);
}

void AnchorSet::compile() {
  for (Literals* literals : {&plain_, &usual_, &dollar_}) {
    if (!literals->texts.empty()) literals->set = std::make_unique<HyperscanSet>(literals->texts);
  }
}

void AnchorSet::search(std::string_view text, bool opens,
                       const std::function<void(const Use&, std::size_t at)>& hit) const {
  const auto search_from = [&](const Literals& literals, std::size_t from) {
    if (!literals.set || from >= text.size()) return;
    literals.set->search(text.substr(from), [&](std::size_t at, std::uint32_t number) {
      for (const Use& use : literals.uses[number]) hit(use, from + at);
    });
  };
  search_from(opens ? usual_ : plain_, 0);
  if (opens) search_from(dollar_, text.find('$'));
}

}  // namespace tapedeck::scrubbers
