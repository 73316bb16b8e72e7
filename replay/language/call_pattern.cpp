#include "replay/language/call_pattern.h"

#include <algorithm>

#include "base/text.h"

namespace tapedeck::replay {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return base::is_alnum(c) || c == '_' || c == '-' || c == '.'; });
}

bool is_api(std::string_view text) {
  return is_name(text) && text.front() != '.' && text.back() != '.' && text.find("..") == std::string_view::npos;
}

/// Returns true for the labels that devices use (docs/device-notes.md). Any other text before the first dot is part of
/// the name.
bool is_label(std::string_view text) { return text == "SVC" || text == "SYNO"; }

}  // namespace

std::optional<CallPattern> CallPattern::parse(std::string_view text) {
  const std::size_t first = text.find('/');
  const std::size_t second = first == std::string_view::npos ? first : text.find('/', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  std::string_view api = text.substr(0, first);
  const std::string_view version = text.substr(first + 1, second - first - 1);
  std::string_view method = text.substr(second + 1);
  CallPattern pattern;
  pattern.text_ = text;
  if (const std::size_t prefix = method.find("@/"); prefix != std::string_view::npos) {
    pattern.prefix_ = method.substr(prefix + 1);
    while (pattern.prefix_->ends_with('/')) pattern.prefix_->pop_back();
    method = method.substr(0, prefix);
  }
  pattern.any_below_ = api == "*" || api.ends_with(".*");
  if (pattern.any_below_) api.remove_suffix(api == "*" ? 1 : 2);
  const bool is_version =
      version == "*" || (!version.empty() && version.find_first_not_of("0123456789") == std::string_view::npos);
  const bool is_any_api = api.empty() && pattern.any_below_;
  if ((!is_any_api && !is_api(api)) || !is_version || (method != "*" && !is_name(method))) return std::nullopt;
  if (!is_any_api) {
    pattern.api_ = std::string(api) + (pattern.any_below_ ? "." : "");
    const std::size_t dot = pattern.api_.find('.');
    const bool has_label = dot != std::string::npos && is_label(std::string_view(pattern.api_).substr(0, dot));
    pattern.bare_api_ = has_label ? pattern.api_.substr(dot + 1) : pattern.api_;
  }
  if (version != "*") pattern.version_ = version;
  if (method != "*") pattern.method_ = api::Call("", "", std::string(method), {}).folded_method();
  return pattern;
}

bool CallPattern::fits_api(std::string_view api) const { return any_below_ ? api.starts_with(api_) : api == api_; }

bool CallPattern::fits(const api::Call& call) const {
  if (!version_.empty() && call.version() != version_) return false;
  if (prefix_ && call.prefix() != *prefix_) return false;
  if (!method_.empty() && call.folded_method() != method_) return false;
  const std::string_view rest = call.name().rest;
  return fits_api(call.api()) || (any_below_ ? rest.starts_with(bare_api_) : rest == bare_api_);
}

}  // namespace tapedeck::replay
