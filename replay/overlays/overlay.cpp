#include "replay/overlays/overlay.h"

#include <algorithm>

namespace tapedeck::replay {

bool Overlay::draws() const {
  if (chance < 1 || (delay && std::holds_alternative<LogNormalDelay>(*delay))) return true;
  return std::any_of(answers.begin(), answers.end(), [](const auto& one) { return one->draws(); });
}

OverlayPtr answer_in_turn(const OverlayPtr& overlay, std::uint64_t plays) {
  const auto& answers = overlay->answers;
  if (answers.empty()) return overlay;
  if (plays < answers.size()) return answers[plays];
  switch (overlay->at_end) {
    case AnswersEnd::stick:
      return answers.back();
    case AnswersEnd::loop:
      return answers[plays % answers.size()];
    case AnswersEnd::pass:
      break;
  }
  return nullptr;
}

}  // namespace tapedeck::replay
