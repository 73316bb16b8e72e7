#include "scrubbers/rules/anchor_set.h"

#include <algorithm>

namespace tapedeck::scrubbers {

void AnchorSet::add(std::string_view text, Use use) {
  pairs_.set(pair_of(text, 0));
  const auto place =
      std::find_if(anchors_.begin(), anchors_.end(), [text](const Anchor& one) { return text < one.text; });
  anchors_.insert(place, {text, use});
}

void AnchorSet::search(std::string_view text, const std::function<void(const Use&, std::size_t at)>& hit) const {
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (!pairs_[pair_of(text, at)]) continue;
    const std::string_view pair = text.substr(at, 2);
    auto anchor = std::lower_bound(anchors_.begin(), anchors_.end(), pair,
                                   [](const Anchor& one, std::string_view wanted) { return one.text < wanted; });
    for (; anchor != anchors_.end() && anchor->text.starts_with(pair); ++anchor) {
      if (text.substr(at).starts_with(anchor->text)) hit(anchor->use, at);
    }
  }
}

}  // namespace tapedeck::scrubbers
