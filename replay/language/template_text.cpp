#include "replay/language/template_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/json_spans.h"

namespace tapedeck::replay {
namespace {

std::string escaped(const std::string& value) {
  const std::string quoted = api::json_quoted(value);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace

std::string bare_value(const std::string& value) {
  if (!value.starts_with('"')) return value;
  const auto string = nlohmann::json::parse(value, nullptr, false);
  return string.is_string() ? string.get<std::string>() : value;
}

TemplateText::TemplateText(std::string text, Kind kind) : text_(std::move(text)), kind_(kind) {
  if (kind == Kind::bytes) return;
  bool in_string = false;
  for (std::size_t at = 0; at < text_.size(); ++at) {
    if (auto mark = mark_at(text_, at)) {
      mark->in_string = in_string;
      at += mark->length - 1;
      marks_.push_back(std::move(*mark));
    } else if (kind == Kind::json && text_[at] == '"') {
      in_string = !in_string;
    } else if (in_string && text_[at] == '\\') {
      ++at;
    }
  }
}

std::optional<TemplateText::Mark> TemplateText::mark_at(std::string_view text, std::size_t at) {
  const std::string_view here = text.substr(at);
  if (!here.starts_with("{{")) return std::nullopt;
  if (here.starts_with("{{{{")) return Mark{at, 4, What::brace, {}, false};
  const std::size_t end = here.find("}}");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view name = here.substr(2, end - 2);
  const auto mark = [&](What what) { return Mark{at, end + 2, what, {}, false}; };
  if (name == "session.id") return mark(What::session_id);
  if (name == "session.token") return mark(What::session_token);
  if (name == "session.device_id") return mark(What::session_device_id);
  if (name == "count") return mark(What::count);
  constexpr std::string_view param = "param.";
  if (!name.starts_with(param) || name.size() == param.size()) return std::nullopt;
  if (name.find_first_of("{}\n") != std::string_view::npos) return std::nullopt;
  return Mark{at, end + 2, What::param, std::string(name.substr(param.size())), false};
}

std::string TemplateText::value_of(const Mark& mark, const TemplateValues& values) const {
  std::optional<std::string> value;
  switch (mark.what) {
    case What::brace:
      return "{";
    case What::count:
      return std::to_string(values.count);
    case What::session_id:
      value = values.session_id;
      break;
    case What::session_token:
      value = values.session_token;
      break;
    case What::session_device_id:
      value = values.session_device_id;
      break;
    case What::param:
      value = values.param ? values.param(mark.param) : std::nullopt;
      break;
  }
  if (kind_ == Kind::text) return value.value_or("");
  if (mark.in_string) return escaped(bare_value(value.value_or("")));
  if (!value) return "null";
  return mark.what == What::param && api::is_json(*value) ? *value : api::json_quoted(*value);
}

template <typename Value>
std::string TemplateText::filled_in(const Value& value, std::size_t most) const {
  std::string result;
  const auto append = [&result, most](std::string_view piece) {
    if (piece.size() > most - result.size()) throw api::TooLong(most);
    result += piece;
  };
  std::size_t done = 0;
  for (const Mark& mark : marks_) {
    append(std::string_view(text_).substr(done, mark.offset - done));
    append(value(mark));
    done = mark.offset + mark.length;
  }
  append(std::string_view(text_).substr(done));
  return result;
}

std::string TemplateText::render(const TemplateValues& values, std::size_t most) const {
  return filled_in([&](const Mark& mark) { return value_of(mark, values); }, most);
}

std::vector<std::string> TemplateText::params() const {
  std::vector<std::string> names;
  for (const Mark& mark : marks_) {
    if (mark.what != What::param || std::find(names.begin(), names.end(), mark.param) != names.end()) continue;
    names.push_back(mark.param);
  }
  return names;
}

std::optional<std::string> TemplateText::only_param() const {
  if (kind_ != Kind::json || marks_.size() != 1 || marks_.front().what != What::param) return std::nullopt;
  const Mark& mark = marks_.front();
  const bool is_all = mark.in_string && mark.offset == 1 && mark.length + 2 == text_.size();
  return is_all ? std::optional(mark.param) : std::nullopt;
}

std::string TemplateText::sample() const {
  return filled_in([](const Mark&) { return std::string("1"); }, api::any_length);
}

}  // namespace tapedeck::replay
