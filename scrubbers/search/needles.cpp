#include "scrubbers/search/needles.h"

#include <algorithm>

#include "scrubbers/text/text_forms.h"

namespace tapedeck::scrubbers {
namespace {

// Returns the base64 characters that depend on the value alone, without a first and last one that also have bits of
// neighboring bytes.
std::string base64_core(std::string_view value, std::string_view alphabet, unsigned alignment) {
  std::string core = to_base64(value, alphabet, alignment, 0, 0);
  if (base64_right_bits(alignment, value.size()) != 0) core.pop_back();
  if (base64_left_bits(alignment) != 0) core.erase(0, 1);
  return core;
}

void add_base64(std::vector<Needle>& needles, std::string_view value) {
  for (std::uint8_t alignment = 0; alignment < 3; ++alignment) {
    std::string standard = base64_core(value, base64_alphabet, alignment);
    std::string url = base64_core(value, base64url_alphabet, alignment);
    if (url != standard) needles.push_back({std::move(url), Form::base64, alignment});
    needles.push_back({std::move(standard), Form::base64, alignment});
  }
}

bool is_url_run(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::size_t reach = 256;  // limits the work; enough characters to decide
  const std::string_view own = text.substr(begin, end - begin);
  if (own.find_first_of("-_") != std::string_view::npos) return true;
  if (own.find_first_of("+/") != std::string_view::npos) return false;
  for (std::size_t at = end; at < text.size() && at < end + reach && base64_value(text[at]) >= 0; ++at) {
    if (text[at] == '-' || text[at] == '_') return true;
    if (text[at] == '+' || text[at] == '/') return false;
  }
  for (std::size_t at = begin; at > 0 && at + reach > begin && base64_value(text[at - 1]) >= 0; --at) {
    if (text[at - 1] == '-' || text[at - 1] == '_') return true;
    if (text[at - 1] == '+' || text[at - 1] == '/') return false;
  }
  return false;
}

std::optional<Occurrence> locate_base64(std::string_view text, std::size_t at, std::size_t size, unsigned alignment,
                                        std::string_view value) {
  Occurrence found{at, at + size, {}};
  const unsigned left_bits = base64_left_bits(alignment);
  const unsigned right_bits = base64_right_bits(alignment, value.size());
  unsigned left = 0;
  unsigned right = 0;
  if (left_bits != 0) {
    const int character = at == 0 ? -1 : base64_value(text[at - 1]);
    if (character < 0) return std::nullopt;
    const unsigned own_bits = 6 - left_bits;
    const auto own = static_cast<unsigned>(static_cast<std::uint8_t>(value.front()) >> (8 - own_bits));
    if ((static_cast<unsigned>(character) & ((1u << own_bits) - 1)) != own) return std::nullopt;
    left = static_cast<unsigned>(character) >> own_bits;
    --found.begin;
  }
  if (right_bits != 0) {
    const int character = found.end == text.size() ? -1 : base64_value(text[found.end]);
    if (character < 0) return std::nullopt;
    const unsigned own_bits = 6 - right_bits;
    const unsigned own = static_cast<std::uint8_t>(value.back()) & ((1u << own_bits) - 1);
    if (static_cast<unsigned>(character) >> right_bits != own) return std::nullopt;
    right = static_cast<unsigned>(character) & ((1u << right_bits) - 1);
    ++found.end;
  }
  found.encoding = is_url_run(text, found.begin, found.end) ? "base64url:" : "base64:";
  found.encoding += std::to_string(alignment) + ":" + std::to_string(left) + ":" + std::to_string(right);
  return found;
}

std::string_view name_of(Form form) {
  switch (form) {
    case Form::raw:
    case Form::base64:
      return "";
    case Form::hex:
      return "hex";
    case Form::upper_hex:
      return "HEX";
    case Form::spaced_hex:
      return "hex-spaced";
    case Form::upper_spaced_hex:
      return "HEX-spaced";
    case Form::utf16le:
      return "utf16le";
  }
  return "";
}

}  // namespace

std::vector<Needle> needles_of(std::string_view value) {
  std::vector<Needle> needles;
  needles.push_back({std::string(value), Form::raw, 0});
  add_base64(needles, value);
  needles.push_back({hex_form(value, false, false), Form::hex, 0});
  needles.push_back({hex_form(value, false, true), Form::spaced_hex, 0});
  if (std::string upper = hex_form(value, true, false); upper != needles[needles.size() - 2].bytes) {
    needles.push_back({std::move(upper), Form::upper_hex, 0});
    needles.push_back({hex_form(value, true, true), Form::upper_spaced_hex, 0});
  }
  needles.push_back({to_utf16le(value), Form::utf16le, 0});
  return needles;
}

std::optional<Occurrence> locate(std::string_view text, std::size_t at, std::size_t needle_size, Form form,
                                 unsigned alignment, std::string_view value) {
  if (form == Form::base64) return locate_base64(text, at, needle_size, alignment, value);
  return Occurrence{at, at + needle_size, std::string(name_of(form))};
}

}  // namespace tapedeck::scrubbers
