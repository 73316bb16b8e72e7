#include "base/suggestion.h"

#include <algorithm>

namespace tapedeck::base {

std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<std::size_t> cells((a.size() + 1) * columns);
  const auto cell = [&](std::size_t i, std::size_t j) -> std::size_t& { return cells[i * columns + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) cell(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cell(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = cell(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      cell(i, j) = std::min({cell(i - 1, j) + 1, cell(i, j - 1) + 1, changed});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) cell(i, j) = std::min(cell(i, j), cell(i - 2, j - 2) + 1);
    }
  }
  return cell(a.size(), b.size());
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 64;
  if (word.size() > longest) return {};
  std::vector<std::string> begun;
  for (const std::string& one : known) {
    if (word.size() >= 2 && one.starts_with(word)) begun.push_back(one);
  }
  if (begun.size() == 1) return begun.front();
  std::string best;
  // Leading dashes do not make two options more similar.
  const std::size_t letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
  std::size_t least = std::max<std::size_t>(letters / 3, 1) + 1;
  for (const std::string& one : known) {
    const std::size_t far = distance(word, one);
    if (far > least || (far == least && best.empty())) continue;
    best = far == least ? std::string() : one;
    least = far;
  }
  return best;
}

}  // namespace tapedeck::base
