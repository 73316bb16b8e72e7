#include "tools/forecast/firmware_responses.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "api/call.h"
#include "api/envelope.h"
#include "api/json_patch.h"
#include "api/json_splice.h"
#include "tools/content/marks.h"
#include "tools/diff/recorded_calls.h"
#include "tools/shapes/operations.h"

namespace tapedeck::tools {
namespace {

using scrubbers::Redaction;

bool overlap(const http::Span& a, const http::Span& b) {
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

int number_in(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? found->get<int>() : 0;
}

/// Adds the facts of an API.Info response, which are objects by API name. Returns false if they are not.
bool add_facts(const nlohmann::json& data, FirmwareResponses& responses) {
  if (!data.is_object()) return false;
  for (const auto& [name, object] : data.items()) {
    if (!object.is_object()) return false;
    responses.apis[api::ApiName::split(name).rest] = {name, object};
  }
  return true;
}

using Visit = std::function<void(const std::vector<std::string>& place, const nlohmann::json& value)>;

void visit_below(const nlohmann::json& value, const std::vector<std::string>& tokens, std::vector<std::string>& place,
                 const Visit& visit) {
  const auto go = [&](const std::string& token, const nlohmann::json& next) {
    place.push_back(token);
    visit_below(next, tokens, place, visit);
    place.pop_back();
  };
  if (place.size() == tokens.size()) return visit(place, value);
  const std::string& token = tokens[place.size()];
  if (token == any_place && value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) go(std::to_string(i), value[i]);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      if (token == any_place || token == name) go(name, member);
    }
  }
}

class ResponseReader {
 public:
  FirmwareResponses read(const cassettes::CassetteReader& cassette, scrubbers::PrivateProfile* private_values) {
    const api::KeyPolicy policy(cassette.info().key_policy);
    cassette.each([&](const cassettes::FullInteraction& full) {
      scrubbers::InteractionRecord record = full.record;
      if (private_values != nullptr) static_cast<void>(private_values->apply(record));
      const auto rows = rows_of(record.redactions, scrubbers::Part::response_body);
      each_call(record, [&](const api::Call& call, std::string_view response) {
        const auto offset = static_cast<std::size_t>(response.data() - record.response.body.data());
        const bool is_whole = response.size() == record.response.body.size();
        add(call, is_whole ? full.line.key : policy.key(call).text, response, rows, offset);
      });
      return true;
    });
    return std::move(found_);
  }

 private:
  void add(const api::Call& call, const std::string& key, std::string_view body, const std::vector<Redaction>& rows,
           std::size_t offset) {
    if (call.is_compound()) return;  // its parts are added one by one
    const std::string text = without_label(key);
    OperationResponses& operation = found_.operations[text.substr(0, text.find('?'))];
    if (operation.name.empty()) {
      operation.name = key.substr(0, key.find('?'));
      operation.api = call.api();
      operation.version = call.version();
      operation.method = call.folded_method();
    }
    KeyResponses& known = operation.keys[text];
    known.key = key;
    const auto verdict = api::is_json(body) ? api::verdict(body) : std::nullopt;
    if (!verdict) {
      known.has_other = true;
    } else if (!verdict->success) {
      known.errors.insert(verdict->error_code.value_or(100));
    } else if (seen_.insert(text + "\n" + std::string(body)).second) {
      add_success(call, operation, known, body, rows, offset);
    }
  }

  void add_success(const api::Call& call, OperationResponses& operation, KeyResponses& known, std::string_view body,
                   const std::vector<Redaction>& rows, std::size_t offset) {
    auto success = std::make_shared<SuccessBody>();
    success->text = body;
    success->json = nlohmann::json::parse(body, nullptr, false);
    if (success->json.is_discarded()) {
      known.has_other = true;
      return;
    }
    for (const Redaction& row : rows) {
      if (row.offset >= offset && row.offset + row.length <= offset + body.size()) {
        success->redacted.push_back(
            {static_cast<std::size_t>(row.offset) - offset, static_cast<std::size_t>(row.length)});
      }
    }
    operation.shape.add(success->json);
    if (call.is_info() && success->json.contains("data")) {
      static_cast<void>(add_facts(success->json["data"], found_));
      const auto query = call.value("query");
      found_.has_all_apis |= query && api::canonical_value(*query) == "all";
    }
    known.successes.push_back(std::move(success));
  }

  FirmwareResponses found_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

bool SuccessBody::is_redacted(const std::vector<std::string>& tokens) const {
  const auto place = redacted.empty() ? std::nullopt : api::value_at(text, tokens);
  return place &&
         std::any_of(redacted.begin(), redacted.end(), [&](const http::Span& row) { return overlap(*place, row); });
}

int ApiFacts::min() const { return number_in(object, "minVersion"); }
int ApiFacts::max() const { return number_in(object, "maxVersion"); }

FirmwareResponses responses_of(const cassettes::CassetteReader& cassette, scrubbers::PrivateProfile* private_values) {
  return ResponseReader().read(cassette, private_values);
}

FirmwareResponses responses_of_info(std::string_view json) {
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  if (parsed.is_discarded() || !parsed.is_object()) throw std::invalid_argument("not JSON, or not an object");
  FirmwareResponses responses;
  const bool is_whole = parsed.contains("data") && parsed.contains("success");
  if (!add_facts(is_whole ? parsed["data"] : parsed, responses) || responses.apis.empty()) {
    throw std::invalid_argument("not a response of API.Info");
  }
  responses.has_all_apis = true;
  return responses;
}

void each_place(const nlohmann::json& value, const std::vector<std::string>& tokens, const Visit& visit) {
  std::vector<std::string> place;
  visit_below(value, tokens, place, visit);
}

std::string pointer_text(const std::vector<std::string>& tokens) {
  std::string text;
  for (const std::string& token : tokens) text.append("/").append(api::pointer_token(token));
  return text;
}

}  // namespace tapedeck::tools
