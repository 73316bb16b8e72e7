#include "tools/exchange/jsonl_import.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "scrubbers/rules/scrub_rule.h"
#include "tools/content/plain_text.h"
#include "tools/content/stopped.h"
#include "tools/exchange/import_error.h"
#include "tools/exchange/jsonl_export.h"

namespace tapedeck::tools {

namespace {

using scrubbers::Redaction;

const nlohmann::json& member(const nlohmann::json& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) throw EntryFault("\"" + std::string(name) + "\" is missing");
  return object[name];
}

template <class Number>
Number number(const nlohmann::json& object, const char* name, std::int64_t low, std::int64_t high) {
  const nlohmann::json& value = member(object, name);
  const bool fits =
      value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!fits || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high) {
    throw EntryFault("\"" + std::string(name) + "\" is not a valid number");
  }
  return static_cast<Number>(value.get<std::int64_t>());
}

std::uint32_t small(const nlohmann::json& object, const char* name) {
  return number<std::uint32_t>(object, name, 0, INT32_MAX);
}

std::int64_t time(const nlohmann::json& object, const char* name) {
  return number<std::int64_t>(object, name, -cassettes::largest_time, cassettes::largest_time);
}

bool flag(const nlohmann::json& object, const char* name, std::optional<bool> otherwise = std::nullopt) {
  if (otherwise && !object.contains(name)) return *otherwise;
  const nlohmann::json& value = member(object, name);
  if (!value.is_boolean()) throw EntryFault("\"" + std::string(name) + "\" must be true or false");
  return value.get<bool>();
}

std::string text(const nlohmann::json& object, const char* name) {
  const nlohmann::json& value = member(object, name);
  if (!value.is_string()) throw EntryFault("\"" + std::string(name) + "\" must be a string");
  return value.get<std::string>();
}

/// Returns an empty text if the member is null or missing.
std::string text_or_empty(const nlohmann::json& object, const char* name) {
  return !object.contains(name) || object[name].is_null() ? std::string() : text(object, name);
}

/// Returns the member's text, or the bytes of NAME_base64 if that exists.
std::string bytes(const nlohmann::json& object, const char* name) {
  const std::string packed = std::string(name) + "_base64";
  if (!object.contains(packed)) return text(object, name);
  auto unpacked = from_base64(text(object, packed.c_str()));
  if (!unpacked) throw EntryFault("\"" + packed + "\" is not base64");
  return std::move(*unpacked);
}

template <std::size_t size>
std::string hex_bytes(const nlohmann::json& object, const char* name) {
  const std::string digits = text(object, name);
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    const auto byte = base::whole_number<unsigned>(std::string_view(digits).substr(i, 2), 16);
    if (byte) out += static_cast<char>(*byte);
  }
  if (digits.size() != 2 * size || out.size() != size) {
    throw EntryFault("\"" + std::string(name) + "\" must have " + std::to_string(2 * size) + " hex digits");
  }
  return out;
}

int one_of(const nlohmann::json& object, const char* name, std::initializer_list<std::string_view> words) {
  const std::string word = text(object, name);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) throw EntryFault("\"" + std::string(name) + "\" has an unknown value");
  return static_cast<int>(found - words.begin());
}

Redaction redaction_of(const nlohmann::json& object) {
  Redaction row;
  row.part = number<scrubbers::Part>(object, "part", 0, static_cast<int>(scrubbers::Part::response_body));
  row.offset = small(object, "at");
  row.length = small(object, "length");
  const std::string name = text(object, "class");
  const auto secret_class = scrubbers::secret_class_from(name);
  if (!secret_class) throw EntryFault("unknown class of redactions: " + name);
  row.secret_class = *secret_class;
  row.whose = number<scrubbers::Whose>(object, "whose", 0, 2);
  row.owner = small(object, "owner");
  row.ordinal = small(object, "number");
  auto encoding = scrubbers::parse_encoding(bytes(object, "encoding"));
  if (!encoding) throw EntryFault("unknown encoding of redactions: " + bytes(object, "encoding"));
  row.encoding = *std::move(encoding);
  row.shape = bytes(object, "shape");
  row.rule = bytes(object, "rule");
  return row;
}

/// Throws EntryFault if a redaction is not at its placeholder: replay would insert a session's value in the wrong
/// place.
void check_placeholders(const scrubbers::InteractionRecord& record) {
  const std::string texts[] = {record.request.target,  record.request.headers.to_text(),  record.request.body,
                               record.response.reason, record.response.headers.to_text(), record.response.body};
  std::pair<scrubbers::Part, std::uint64_t> last{};
  for (const Redaction& row : record.redactions) {
    const std::string_view text = texts[static_cast<std::size_t>(row.part)];
    const bool is_inside = row.offset <= text.size() && row.length <= text.size() - row.offset;
    const bool is_behind = std::pair(row.part, row.offset) >= last;
    const std::string expected = scrubbers::placeholder(row.secret_class);
    const bool is_private = row.secret_class == scrubbers::SecretClass::private_data;
    if (!is_inside || !is_behind || (!is_private && text.substr(row.offset, row.length) != expected)) {
      throw EntryFault("a redaction in the " + std::string(to_string(row.part)) + " is not at its placeholder " +
                       expected + ": the text before it was edited");
    }
    last = {row.part, row.offset + row.length};
  }
}

/// Sets the key. Throws EntryFault if it is not the key of the request, because then no request would find the
/// interaction.
void give_key(const nlohmann::json& line, scrubbers::InteractionRecord& record, const cassettes::Take& take) {
  record.key.text = text(line, "key");
  const api::RequestKey key = key_of(record, take);
  if (key.text != record.key.text && !flag(line, "keeps_key", false)) {
    throw EntryFault("\"key\" does not fit the request, whose key is " + key.text);
  }
  const bool has_holes = record.key.text.find('<') != std::string::npos;
  record.key.has_holes = key.text == record.key.text ? key.has_holes : has_holes;
}

scrubbers::InteractionRecord record_of(const nlohmann::json& line, const cassettes::Take& take) {
  scrubbers::InteractionRecord record;
  record.request.method = text(line, "verb");
  record.request.target = bytes(line, "target");
  record.request.minor_version = number<int>(line, "minor_version", 0, 9);
  record.request.headers = http::Headers::from_text(bytes(line, "request_headers"));
  record.request.body = bytes(line, "request_body");
  record.response.status = number<int>(line, "status", 0, 999);
  record.response.reason = bytes(line, "phrase");
  record.response.headers = http::Headers::from_text(bytes(line, "response_headers"));
  record.response.body = bytes(line, "body");
  record.scope = line.contains("stored_scope") ? text(line, "stored_scope") : text_or_empty(line, "scope");
  record.session = small(line, "session");
  record.account = small(line, "account");
  record.effect = static_cast<api::Effect>(one_of(line, "effect", {"read", "session", "write"}));
  record.completeness =
      static_cast<api::Completeness>(one_of(line, "completeness", {"complete", "broken", "withheld"}));
  if (record.completeness == api::Completeness::complete && !http::is_final(record.response.status)) {
    throw EntryFault("\"status\" of a complete interaction must be 101 or from 200 to 599");
  }
  record.reason = text_or_empty(line, "reason");
  record.ended_by_client = flag(line, "ended_by_client", false);
  record.withheld_digest = text_or_empty(line, "withheld_digest");
  if (line.contains("withheld_bytes")) {
    record.withheld_bytes = number<std::uint64_t>(line, "withheld_bytes", 0, INT64_MAX);
  }
  record.started_us = time(line, "started_us");
  record.ended_us = record.started_us + time(line, "duration_us");
  if (!member(line, "first_byte_us").is_null()) record.first_byte_us = record.started_us + time(line, "first_byte_us");
  for (const nlohmann::json& row : member(line, "redacted")) record.redactions.push_back(redaction_of(row));
  check_placeholders(record);
  if (line.contains("events")) {
    for (const nlohmann::json& event : line["events"]) {
      const nlohmann::json pair = {{"at", event.at(0)}, {"end", event.at(1)}};
      const auto size = static_cast<std::int64_t>(record.response.body.size());
      record.events.push_back({time(pair, "at"), number<std::uint64_t>(pair, "end", 0, size)});
    }
  }
  give_key(line, record, take);
  return record;
}

cassettes::Take take_of_json(const nlohmann::json& row) {
  cassettes::Take take;
  take.number = small(row, "take");
  take.id = hex_bytes<cassettes::take_name_size>(row, "name");
  take.started_us = time(row, "started_us");
  take.ended_us = time(row, "ended_us");
  take.tool_version = text(row, "tool");
  take.key_policy = static_cast<int>(small(row, "key_policy"));
  take.scrub_policy = text(row, "scrub_policy");
  take.base_path = text(row, "base_path");
  take.device = text(row, "device");
  take.note = text(row, "note");
  take.model = text(row, "model");
  take.firmware = text(row, "firmware");
  take.finished = flag(row, "finished");
  take.verified = flag(row, "verified");
  if (row.contains("account_key")) {
    take.account_key = number<std::uint64_t>(row, "account_key", 0, scrubbers::largest_account_key);
  }
  try {
    static_cast<void>(api::KeyPolicy(take.key_policy));
  } catch (const std::invalid_argument& error) {
    throw EntryFault(error.what());
  }
  return take;
}

/// Reads all lines once, so that every error is found before anything is written, and later each line again by need.
class JsonlMaterial final : public cassettes::Material {
 public:
  JsonlMaterial(std::istream& in, const ReadProgress& progress) : in_(in) {
    in_.seekg(0, std::ios::end);
    head_.bytes = static_cast<std::uint64_t>(in_.tellg());
    in_.seekg(0);
    while (next_line()) {
      named([&] { take_in(parsed()); });
      if (progress && !progress(begin_, head_.bytes)) throw Stopped();
    }
    if (!has_end_) throw ImportError(number_, 1, "the file is incomplete: its last line is missing");
  }

  cassettes::MaterialHead head() override { return head_; }
  void each(const std::function<void(const cassettes::MaterialItem&)>& visit) override {
    for (const cassettes::MaterialItem& item : items_) visit(item);
  }
  scrubbers::InteractionRecord record(const cassettes::MaterialItem& item) override {
    in_.clear();
    std::tie(end_, number_) = places_.at(static_cast<std::size_t>(item.row));
    in_.seekg(static_cast<std::streamoff>(end_));
    scrubbers::InteractionRecord record;
    if (!next_line()) throw ImportError(number_, 1, "the file changed while it was read");
    named([&] { record = record_of(parsed(), take_of(head_.takes, item.take)); });
    return record;
  }

 private:
  bool next_line() {
    begin_ = end_;
    if (!std::getline(in_, line_)) return false;
    end_ = begin_ + line_.size() + 1;
    ++number_;
    return true;
  }
  [[nodiscard]] nlohmann::json parsed() const {
    try {
      return nlohmann::json::parse(line_);
    } catch (const nlohmann::json::parse_error& error) {
      throw ImportError(number_, error.byte, "this is not a JSON object");
    }
  }
  template <class F>
  void named(F&& body) {
    try {
      body();
    } catch (const EntryFault& fault) {
      throw ImportError(number_, 1, fault.what());
    } catch (const nlohmann::json::exception&) {
      throw ImportError(number_, 1, "a member has the wrong type");
    }
  }
  void take_in(const nlohmann::json& line) {
    const std::string kind = text(line, "kind");
    if (has_end_) throw EntryFault("there are lines after the end; a file contains one cassette");
    if (kind == "cassette" && number_ == 1) return take_in_head(line);
    if (number_ == 1) throw EntryFault("the first line does not describe a cassette");
    if (kind == "interaction") return take_in_interaction(line);
    if (kind != "end") throw EntryFault("unknown kind of line: " + kind);
    if (number<std::uint64_t>(line, "interactions", 0, INT64_MAX) != items_.size()) {
      throw EntryFault("interactions are missing");
    }
    has_end_ = true;
  }
  void take_in_head(const nlohmann::json& line);
  void take_in_interaction(const nlohmann::json& line);
  void note_numbers(std::uint32_t session, std::uint32_t account) {
    head_.highest_session = std::max(head_.highest_session, session);
    head_.highest_account = std::max(head_.highest_account, account);
  }
  void check_take(std::uint32_t number) {
    const auto known = [&](const cassettes::Take& take) { return take.number == number; };
    if (std::none_of(head_.takes.begin(), head_.takes.end(), known)) throw EntryFault("unknown take number");
  }

  std::istream& in_;
  std::string line_;
  std::uint64_t begin_ = 0, end_ = 0;
  std::size_t number_ = 0;
  bool has_end_ = false;
  cassettes::MaterialHead head_;
  std::vector<cassettes::MaterialItem> items_;
  std::vector<std::pair<std::uint64_t, std::size_t>> places_;  ///< start of each line, and its number minus 1
  std::set<std::pair<std::uint32_t, std::string>> known_parts_;
  std::set<cassettes::Digest> ids_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> ords_;
};

void JsonlMaterial::take_in_head(const nlohmann::json& line) {
  for (const nlohmann::json& row : member(line, "takes")) {
    head_.takes.push_back(take_of_json(row));
    const bool follows =
        head_.takes.size() == 1 || head_.takes[head_.takes.size() - 2].number < head_.takes.back().number;
    if (head_.takes.back().number == 0 || !follows)
      throw EntryFault("takes must be numbered from 1 in ascending order");
  }
  if (head_.takes.empty()) throw EntryFault("the file contains no take");
  for (const nlohmann::json& row : member(line, "scopes")) {
    head_.parts.push_back({small(row, "take"), text(row, "scope"), small(row, "run"), flag(row, "complete")});
    check_take(head_.parts.back().take);
    if (!known_parts_.emplace(head_.parts.back().take, head_.parts.back().scope).second)
      throw EntryFault("a scope is listed twice");
  }
  for (const nlohmann::json& row : member(line, "accounts")) {
    cassettes::MaterialAccount& account =
        head_.accounts.emplace_back(small(row, "take"), text(row, "scope"), small(row, "account"));
    if (row.contains("check")) account.check = number<std::uint8_t>(row, "check", 0, UINT8_MAX);
    check_take(account.take);
    if (account.number == 0) throw EntryFault("accounts are numbered from 1");
    note_numbers(0, account.number);
  }
  for (const nlohmann::json& row : member(line, "sessions")) {
    cassettes::MaterialSession session{small(row, "take"),
                                       text(row, "scope"),
                                       small(row, "session"),
                                       small(row, "account"),
                                       {time(row, "first_us"), time(row, "last_us"), small(row, "lane")}};
    check_take(session.take);
    if (session.number == 0 || session.span.lane == 0) throw EntryFault("sessions and lanes are numbered from 1");
    note_numbers(session.number, session.account);
    head_.sessions.push_back(std::move(session));
  }
  for (const nlohmann::json& row : member(line, "marks")) {
    head_.marks.push_back({small(row, "take"), time(row, "at_us"), text(row, "name")});
    check_take(head_.marks.back().take);
  }
  for (const nlohmann::json& row : member(line, "allowed")) head_.allowed.insert(row.get<std::string>());
}

void JsonlMaterial::take_in_interaction(const nlohmann::json& line) {
  cassettes::MaterialItem item;
  item.row = static_cast<std::int64_t>(places_.size());
  item.take = small(line, "take");
  item.ord = small(line, "ord");
  item.edited = true;
  const std::string id = hex_bytes<cassettes::interaction_name_size>(line, "id");
  std::copy_n(id.begin(), item.digest.size(), item.digest.begin());
  check_take(item.take);
  const scrubbers::InteractionRecord record = record_of(line, take_of(head_.takes, item.take));
  if (!known_parts_.contains({item.take, record.scope})) {
    throw EntryFault("the first line does not list the scope and take of the interaction");
  }
  if (!ids_.insert(item.digest).second) throw EntryFault("another interaction has the same ID");
  if (item.ord == 0 || !ords_.emplace(item.take, item.ord).second) {
    throw EntryFault("\"ord\" must be a number that no other interaction of the take has");
  }
  item.scope = record.scope;
  note_numbers(record.session, record.account);
  for (const Redaction& row : record.redactions) note_numbers(row.owner, 0);
  items_.push_back(std::move(item));
  places_.emplace_back(begin_, number_ - 1);
}

}  // namespace

bool is_jsonl(std::string_view beginning) { return beginning.starts_with(R"({"kind":"cassette")"); }

std::unique_ptr<cassettes::Material> jsonl_material(std::istream& in, const ReadProgress& progress) {
  return std::make_unique<JsonlMaterial>(in, progress);
}

}  // namespace tapedeck::tools
