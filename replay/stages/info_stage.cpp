#include <algorithm>

#include "api/json_spans.h"
#include "replay/stages/stages.h"

namespace tapedeck::replay {
namespace {

/// Returns true for text that needs no escaping in JSON. Text from clients and cassettes is checked before it is
/// written.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\'; });
}

/// The parsed `query` parameter. An empty list of names requests all APIs.
class InfoQuery {
 public:
  explicit InfoQuery(const api::Call& call) {
    const std::string value = api::canonical_value(call.value("query").value_or(""));
    if (const auto elements = api::json_elements(value)) {
      for (const std::string_view element : *elements) {
        if (element.size() > 2 && element.starts_with('"')) add(element.substr(1, element.size() - 2));
      }
      is_all_ = false;
    } else if (!value.empty() && !http::equal_no_case(value, "all")) {
      add(value);
      is_all_ = false;
    }
  }

  /// Returns the label for the API's name in the response: `recorded` unless the query contains the whole name. Returns
  /// nothing if the query does not include the API.
  [[nodiscard]] std::optional<std::string> label_for(const api::ApiName& name) const {
    if (is_all_) return name.label;
    for (const api::ApiName& asked : names_) {
      if (asked.rest == name.rest) return is_plain(asked.label) ? asked.label : name.label;
      const bool is_prefix = asked.rest.empty() || asked.rest.ends_with('.');
      if (is_prefix && name.rest.starts_with(asked.rest)) return name.label;
    }
    return std::nullopt;
  }

 private:
  void add(std::string_view name) { names_.push_back(api::ApiName::split(name)); }

  bool is_all_ = true;
  std::vector<api::ApiName> names_;
};

void append_member(std::string& data, const api::ApiName& name, std::string_view value) {
  if (data.size() > 1) data += ',';
  data.append("\"").append(name.full()).append("\":").append(value);
}

std::string from_recorded(const RecordedInfo& info, const InfoQuery& query) {
  std::string data = "{";
  for (const InfoEntry& entry : info.entries) {
    if (const auto label = query.label_for(entry.name)) append_member(data, {*label, entry.name.rest}, entry.value);
  }
  return data + "}";
}

std::string composed_entry(const std::string& api_rest, api::VersionRange range) {
  std::string value = "{\"maxVersion\":" + std::to_string(range.max) + ",\"minVersion\":" + std::to_string(range.min) +
                      ",\"path\":\"entry.cgi\"";
  const auto operations = api::catalog_api(api_rest);
  const std::string_view format = operations.empty() ? "JSON" : operations.front().request_format;
  if (!format.empty()) value.append(",\"requestFormat\":").append(api::json_quoted(format));
  return value + "}";
}

std::string composed(const std::map<std::string, api::VersionRange>& apis, const std::string& label,
                     const InfoQuery& query) {
  std::string data = "{";
  for (const auto& [rest, range] : apis) {
    const auto asked_label = query.label_for({label, rest});
    if (asked_label && is_plain(rest)) append_member(data, {*asked_label, rest}, composed_entry(rest, range));
  }
  return data + "}";
}

std::string label_of(const ThreadState& thread, const api::Call& call) {
  for (const auto& lookup : thread.cassettes) {
    if (lookup->label() && is_plain(*lookup->label())) return *lookup->label();
  }
  return is_plain(call.name().label) ? call.name().label : std::string("SVC");
}

}  // namespace

std::optional<Reply> answer_info(const Services& services, RequestContext& context, ThreadState& thread) {
  const api::Call* const call = context.parsed().call();
  if (call == nullptr || !call->is_info() || !call->complete()) return std::nullopt;
  // The device may answer differently to another value of a header that tells requests apart.
  const auto* const why = std::get_if<Nothing>(&context.not_played);
  if (services.options.end != nullptr && why != nullptr && !why->other_headers.empty()) return std::nullopt;
  const InfoQuery query(*call);
  const RecordedInfo* const info = services.knowledge.recorded_info(thread);
  if (info == nullptr && services.options.end != nullptr) return std::nullopt;
  const std::string data = info != nullptr
                               ? from_recorded(*info, query)
                               : composed(services.knowledge.composed(thread), label_of(thread, *call), query);
  return Reply::json(Outcome::builtin, api::success_envelope(data));
}

}  // namespace tapedeck::replay
