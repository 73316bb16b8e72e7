#include "scrubbers/private/private_values.h"

#include <algorithm>

#include "base/text.h"

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t longest_value = 4096;

/// Returns `text` with `change` applied to each piece between `marks`.
template <class Change>
std::string piecewise(std::string_view text, std::string_view marks, Change&& change) {
  std::string made;
  while (true) {
    const std::size_t end = std::min(text.find_first_of(marks), text.size());
    made += change(text.substr(0, end));
    if (end == text.size()) return made;
    made += text[end];
    text.remove_prefix(end + 1);
  }
}

bool is_number(std::string_view text) { return std::all_of(text.begin(), text.end(), base::is_digit); }

bool has_letter_or_digit(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return base::is_alnum(c) || static_cast<std::uint8_t>(c) >= 0x80; });
}

std::size_t digits_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), base::is_digit));
}

}  // namespace

std::optional<std::string> PrivateValues::replaced(PrivateKind kind, std::string_view value) const {
  const std::string_view text = base::trim(value, " \t\r\n");
  if (text.empty() || text.size() > longest_value || is_to_stay(text) || !has_letter_or_digit(text)) return std::nullopt;
  const auto made = [&] {
    switch (kind) {
      case PrivateKind::id:
        return id(text);
      case PrivateKind::name:
        return name(text);
      case PrivateKind::path:
        return path(text);
      case PrivateKind::host:
        return hosts(text);
      case PrivateKind::subject:
        return subject(text);
      case PrivateKind::position:
        return position(text);
      case PrivateKind::phone:
        return phone(text);
    }
    return std::string(text);
  }();
  if (made == text) return std::nullopt;
  const auto before = static_cast<std::size_t>(text.data() - value.data());
  return std::string(value.substr(0, before)) + made + std::string(value.substr(before + text.size()));
}

std::optional<std::string> PrivateValues::address(std::string_view value) const {
  if (parse_ipv4(value)) return pseudonyms_.of_ipv4(value).value_or(std::string(value));
  if (value.find(':') != std::string_view::npos && parse_ipv6(value)) {
    return pseudonyms_.of_ipv6(value).value_or(std::string(value));
  }
  return std::nullopt;
}

std::string PrivateValues::id(std::string_view value) const {
  constexpr std::size_t shortest_number = 4;
  if (parse_mac(value)) return pseudonyms_.of_mac(value).value_or(std::string(value));
  if (value.size() < shortest_number && is_number(value)) return std::string(value);
  return pseudonyms_.of_text(value);
}

std::string PrivateValues::name(std::string_view value) const {
  if (auto made = address(value)) return *made;
  if (value.find('@') != std::string_view::npos) {
    // Handles lists of mail addresses, with or without display names, and accounts with a domain.
    if (std::string made = shapes_replaced(value, pseudonyms_); made != value) return made;
  }
  if (value.find('/') != std::string_view::npos) return path(value);
  if (const std::size_t sign = value.find('\\'); sign != std::string_view::npos && sign > 0) {
    return piecewise(value, "\\", [this](std::string_view piece) { return component(piece); });
  }
  if (value.find_first_of(",;") != std::string_view::npos) {
    return piecewise(value, ",;", [this](std::string_view piece) { return component(piece); });
  }
  return component(value);
}

std::string PrivateValues::component(std::string_view value) const {
  const std::string_view text = base::trim(value);
  if (text.empty() || is_common_component(text) || is_to_stay(text)) return std::string(value);
  if (is_number(text) && text.size() < 3) return std::string(value);
  const auto before = static_cast<std::size_t>(text.data() - value.data());
  const std::string outer(value.substr(0, before));
  const std::string behind(value.substr(before + text.size()));
  const std::size_t dot = text.rfind('.');
  if (dot != std::string_view::npos && dot > 0 && is_file_ending(text.substr(dot + 1))) {
    return outer + component(text.substr(0, dot)) + std::string(text.substr(dot)) + behind;
  }
  return outer + pseudonyms_.of_text(text) + behind;
}

std::string PrivateValues::path(std::string_view value) const {
  if (value.find("://") != std::string_view::npos) {
    const std::size_t begin = value.find("://") + 3;
    const std::size_t end = std::min(value.find_first_of("/?#", begin), value.size());
    const std::size_t query = std::min(value.find_first_of("?#", end), value.size());
    return std::string(value.substr(0, begin)) + host(value.substr(begin, end - begin)) +
           piecewise(value.substr(end, query - end), "/", [this](std::string_view piece) { return component(piece); }) +
           std::string(value.substr(query));
  }
  const bool is_path = value.find('/') != std::string_view::npos;
  if (!is_path || is_system_path(value)) return std::string(value);
  // A parameter may contain several paths.
  return piecewise(value, "/,", [this](std::string_view piece) { return component(piece); });
}

std::string PrivateValues::host(std::string_view value) const {
  if (auto made = address(value)) return *made;
  const std::size_t sign = value.rfind('@');
  if (sign != std::string_view::npos) {
    return std::string(value.substr(0, sign + 1)) + host(value.substr(sign + 1));
  }
  if (value.starts_with('[') && value.find(']') != std::string_view::npos) {
    const std::size_t end = value.find(']');
    return "[" + host(value.substr(1, end - 1)) + std::string(value.substr(end));
  }
  const std::size_t colon = value.rfind(':');
  if (colon != std::string_view::npos && is_number(value.substr(colon + 1))) {
    return host(value.substr(0, colon)) + std::string(value.substr(colon));
  }
  if (is_to_stay(value) || (is_number(value) && value.size() < 3)) return std::string(value);
  const std::size_t last = value.rfind('.');
  const std::string_view labels = value.substr(0, last);
  const std::string top(last == std::string_view::npos ? "" : value.substr(last));
  return piecewise(labels, ".",
                   [this](std::string_view label) {
                     return label.empty() || label == "*" || label == "www" || is_to_stay(label)
                                ? std::string(label)
                                : pseudonyms_.of_text(label);
                   }) +
         top;
}

std::string PrivateValues::hosts(std::string_view value) const {
  if (value.find("://") != std::string_view::npos) return path(value);
  if (auto made = address(value)) return *made;
  return piecewise(value, ",; /", [this](std::string_view one) {
    constexpr std::string_view dns = "DNS:";
    if (one.starts_with(dns)) return std::string(dns) + host(one.substr(dns.size()));
    return host(one);
  });
}

std::string PrivateValues::subject(std::string_view value) const {
  if (value.find('=') == std::string_view::npos) return name(value);
  return piecewise(value, ",/+", [this](std::string_view piece) {
    const std::size_t sign = piece.find('=');
    if (sign == std::string_view::npos) return std::string(piece);
    const std::string_view key = base::trim(piece.substr(0, sign));
    const std::string_view said = piece.substr(sign + 1);
    // A country does not identify anyone.
    if (key == "C" || is_to_stay(base::trim(said))) return std::string(piece);
    const bool is_host = said.find(' ') == std::string_view::npos && said.find('.') != std::string_view::npos;
    return std::string(piece.substr(0, sign + 1)) + (is_host ? host(said) : component(said));
  });
}

std::string PrivateValues::position(std::string_view value) const {
  return piecewise(value, ", ;", [this](std::string_view one) {
    return digits_in(one) > 1 || one.find('.') != std::string_view::npos ? pseudonyms_.of_position(one)
                                                                         : std::string(one);
  });
}

std::string PrivateValues::phone(std::string_view value) const {
  constexpr std::size_t shortest = 4;
  return digits_in(value) < shortest ? std::string(value) : pseudonyms_.of_text(value);
}

}  // namespace tapedeck::scrubbers
