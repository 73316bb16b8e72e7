#include "cassettes/finish/survey.h"

#include <algorithm>
#include <utility>

#include "api/envelope.h"
#include "api/json_spans.h"
#include "api/session_request.h"
#include "api/transcript.h"
#include "base/digest.h"
#include "base/text.h"
#include "cassettes/file/part_key.h"
#include "cassettes/file/rows.h"
#include "cassettes/write/recording_file.h"
#include "cassettes/write/take_event.h"
#include "http/message/origin_text.h"
#include "scrubbers/redaction/handshake_rule.h"
#include "scrubbers/redaction/header_identity.h"
#include "scrubbers/withheld.h"

namespace tapedeck::cassettes {

namespace {

/// Returns the error code of a response, 0 for success, or nothing if there is no envelope.
std::optional<int> error_code_of(std::string_view body) {
  const auto verdict = api::verdict(body);
  if (!verdict) return std::nullopt;
  if (verdict->success) return 0;
  return verdict->error_code.value_or(static_cast<int>(api::ErrorCode::unknown));
}

/// Returns a digest of request and response as they are written. Equal interactions in one take have equal digests.
Digest digest_of_content(const scrubbers::InteractionRecord& record) {
  HashedFields head;
  head.add(record.request.method).add(record.request.target).add(record.request.headers.to_text());
  head.add(static_cast<std::uint64_t>(record.response.status)).add(record.response.reason);
  head.add(record.response.headers.to_text());
  return digest_of(head.text() + sha256_bytes(record.request.body) + sha256_bytes(record.response.body));
}

/// Returns a short text member of a JSON object; empty for anything else.
std::string short_text(std::string_view object, std::string_view member) {
  constexpr std::size_t longest = 100;
  std::string_view value = api::json_member(object, member).value_or("");
  if (value.size() < 2 || value.front() != '"' || value.size() > longest) return {};
  value = value.substr(1, value.size() - 2);
  const bool plain = std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7f && c != '\\'; });
  return plain ? std::string(value) : std::string();
}

/// Notes model and firmware if a response contains them.
void note_device(const scrubbers::InteractionRecord& record, Take& take) {
  const bool info = record.key.text.find(".DSM.Info/") != std::string::npos;
  const bool system = record.key.text.find(".Core.System/") != std::string::npos;
  if ((!info && !system) || !take.model.empty()) return;
  const api::RequestKey key = api::RequestKey::parse(record.key.text);
  if (!(info && key.method == "getinfo") && !(system && key.method == "info")) return;
  const std::string_view data = api::json_member(record.response.body, "data").value_or("");
  take.model = short_text(data, "model");
  take.firmware = short_text(data, info ? "version_string" : "firmware_ver");
}

bool is_logout(const scrubbers::InteractionRecord& record) {
  const std::string key = base::fold(record.key.text);
  if (key.find("out") == std::string::npos) return false;  // most requests end here
  const auto call = api::Call::from(record.request);
  return api::session_step(record.request, call ? &*call : nullptr) == api::SessionStep::logout;
}

std::string aside_name(std::uint32_t scope, std::string_view key_text) {
  return std::to_string(scope).append(" ").append(key_text);
}

/// Returns true for a login that the device answered with the second message of a handshake.
bool has_handshake(const scrubbers::InteractionRecord& record) {
  return std::any_of(record.redactions.begin(), record.redactions.end(), [](const scrubbers::Redaction& row) {
    return row.part == scrubbers::Part::response_body && row.rule == scrubbers::handshake_rule;
  });
}

/// Returns the text of the headers that always tell requests apart.
std::string known_headers_of(const scrubbers::InteractionRecord& record) {
  static const api::IdentityHeaders known = api::IdentityHeaders::known();
  return scrubbers::identity_text(record.request.headers, known, record.redactions);
}

}  // namespace

Survey::Survey(Material& material, const MaterialHead& head, SQLite::Database* recording,
               const CanonicalOptions& options)
    : options_(options), scrubber_(options.finish.scrubber), material_(material), head_(head) {
  takes = head_.takes;
  static_cast<void>(scope_number(""));
  if (recording) {
    recorded_ = std::make_unique<RecordedReader>(*recording);
    recorded_take = takes.empty() ? 1 : takes.back().number + 1;
    takes.push_back(cassettes::take_in(*recording));
    takes.back().number = recorded_take;
  }
  read_all(recording);
  begin_sessions();
  numbering_.assign();
  compute_secrets();
  sort_and_number();
  make_ids();
  mark_withheld();
  find_parts();
}

std::uint32_t Survey::scope_number(const std::string& name) {
  const auto [found, is_new] = scope_numbers_.try_emplace(name, static_cast<std::uint32_t>(scopes.size()));
  if (is_new) scopes.push_back(name);
  return found->second;
}

Take& Survey::take_of(std::uint32_t number) {
  const auto take = std::lower_bound(takes.begin(), takes.end(), number,
                                     [](const Take& row, std::uint32_t wanted) { return row.number < wanted; });
  if (take == takes.end() || take->number != number) throw Damage("an interaction does not belong to a take");
  return *take;
}

std::string Survey::own_text(std::string text) const {
  return scrubber_ && !text.empty() ? scrubber_->scrub_text(text) : text;
}

std::string Survey::own_scope(std::string name) const {
  if (scrubber_ && !name.empty()) name = scrubber_->scrub_scope(name);
  const auto renamed = options_.finish.rename_scopes.find(name);
  return renamed == options_.finish.rename_scopes.end() ? name : renamed->second;
}

void Survey::read_all(SQLite::Database* recording) {
  for (const Take& take : takes) {
    if (!take.device.empty()) addresses_.emplace(take.number, Address{{take.device, own_text(take.device)}, {}});
  }
  read_sessions();
  read_accounts(recording);
  read_stored();
  if (recording) read_recorded(*recording);
  read_marks(recording);
  for (Take& take : takes) take.note = own_text(std::move(take.note));
  for (auto& [take, address] : addresses_) take_of(take).device = address.mentioned;
}

void Survey::read_sessions() {
  for (const MaterialPart& stored : head_.parts) {
    const Part part{stored.take, scope_number(own_scope(stored.scope))};
    parts[part] = {stored.run, stored.complete};
    // Creates an entry even for a take without sessions, which marks it as finished.
    stored_sessions_[part];
  }
  for (const MaterialSession& session : head_.sessions) {
    const Part part{session.take, scope_number(own_scope(session.scope))};
    stored_sessions_[part][session.number] = session.span;
    if (session.account != 0) accounts_[part][session.number] = session.account;
  }
}

/// With private data, only the numbers of the accounts are kept.
void Survey::read_accounts(SQLite::Database* recording) {
  const bool is_private = scrubber_ && scrubber_->hides_private_data();
  for (const MaterialAccount& account : head_.accounts) {
    if (is_private || !account.check || !take_of(account.take).account_key) continue;
    checks_[{{account.take, scope_number(own_scope(account.scope))}, account.number}] = *account.check;
  }
  if (is_private) {
    for (Take& take : takes) take.account_key.reset();
  }
  if (!recording || is_private) return;
  Query query(*recording, "SELECT name FROM note WHERE kind = ? ORDER BY n DESC LIMIT 1");
  if (!query.integer(static_cast<int>(TakeEvent::Kind::accounts)).step()) return;
  auto checks = scrubbers::AccountChecks::parse(query.string(0));
  if (!checks) throw Damage("the check values of its accounts are malformed");
  recorded_checks_ = *std::move(checks);
  take_of(recorded_take).account_key = recorded_checks_.key;
}

void Survey::read_stored() {
  material_.each([this](const MaterialItem& item) {
    Row row;
    row.id = item.row;
    row.take = item.take;
    row.arrival = row.ord = item.ord;
    row.digest = item.digest;
    row.edited = item.edited;
    take_in(row);
  });
}

void Survey::read_recorded(SQLite::Database& recording) {
  const std::map<std::string, KeptRun> runs =
      kept_runs(recording, options_.why == Why::ended, [this](std::string name) { return own_scope(std::move(name)); });
  for (const auto& [name, kept] : runs) parts[{recorded_take, scope_number(name)}] = kept;
  Query query(recording,
              "SELECT n, CASE WHEN socket > 0 THEN 0 ELSE generation END, scope, run FROM recorded WHERE message = 0"
              " ORDER BY n");
  while (query.step()) {
    const auto kept = runs.find(own_scope(query.string(2)));
    if (kept == runs.end() || (!kept->first.empty() && kept->second.run != query.small(3))) continue;
    Row row;
    row.recorded = true;
    row.id = row.arrival = query.number(0);
    row.take = recorded_take;
    row.generation = query.number(1);
    take_in(row);
  }
}

void Survey::add_mark(const Mark& mark) {
  marks.push_back({take_of(mark.take).number, mark.at_us, own_text(mark.name)});
}

void Survey::read_marks(SQLite::Database* recording) {
  for (const Mark& mark : head_.marks) add_mark(mark);
  if (recording) {
    Query query(*recording, "SELECT at_us, name FROM note WHERE kind = 0 ORDER BY n");
    while (query.step()) {
      add_mark({recorded_take, query.number(0, -largest_time, largest_time), query.string(1)});
    }
  }
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
    return std::tuple(a.take, a.at_us) < std::tuple(b.take, b.at_us);
  });
}

bool Survey::is_to_be_scrubbed(const Row& row) const {
  if (!scrubber_) return false;
  if (options_.why == Why::edit) return row.edited || scrubber_->generation() != options_.first_generation;
  const bool is_up_to_date = row.recorded && row.generation != 0 && options_.why == Why::ended &&
                             row.generation == static_cast<std::int64_t>(scrubber_->generation());
  return !is_up_to_date;
}

/// Returns whether this recording has numbered the values of a row.
scrubbers::Scrubber::Numbers Survey::numbers_in(const Row& row) const {
  const bool is_own = row.recorded && options_.why == Why::ended;
  return is_own ? scrubbers::Scrubber::Numbers::own : scrubbers::Scrubber::Numbers::foreign;
}

scrubbers::InteractionRecord Survey::stored(const Row& row) {
  return row.recorded ? recorded_->record(row.id)
                      : material_.record({row.id, row.take, row.ord, row.digest, row.edited, {}});
}

void Survey::take_in(Row row) {
  scrubbers::InteractionRecord record = stored(row);
  if (is_to_be_scrubbed(row)) {
    const scrubbers::Scrubber::Rescrubbed again = scrubber_->rescrub(std::move(record), numbers_in(row));
    row.changed = again.changed;
    scrubbed_late += again.changed ? 1 : 0;
    record = again.interaction.record();
    check_redactions(record);
  }
  row.scope = scope_number(own_scope(record.scope));
  const auto [key, is_new] = key_numbers_.try_emplace(std::to_string(row.scope) + ' ' + record.key.text,
                                                      static_cast<std::uint32_t>(keys.size()));
  if (is_new) keys.push_back({row.scope, record.key.text});
  note_address(row.take, record);
  row.has_holes = record.key.has_holes;
  secrets_.note({row.take, row.scope}, record);
  if (row.has_holes) {
    const api::KeyPolicy policy(take_of(row.take).key_policy);
    const api::RequestKey indexed = scrubbers::key_of(record, policy, {}, indexed_holes(record));
    row.secrets = secrets_.add({row.take, row.scope}, redactions_in(indexed, record),
                               response_mark(record, record.response.body), known_headers_of(record));
  }
  row.step.key = key->second;
  row.step.session = record.session;
  row.step.account = record.account;
  row.step.has_handshake = record.session != 0 && has_handshake(record);
  row.step.started_us = record.started_us;
  row.step.ended_us = record.ended_us;
  row.step.effect = record.effect;
  row.step.connection = connection_of(record);
  const bool is_message = row.step.connection != 0 && record.request.method == "POST";
  if (is_message && !api::is_polled_heartbeat(record.request.body)) row.step.effect = api::Effect::write;
  row.step.completeness = record.completeness;
  if (row.step.complete()) row.step.error_code = error_code_of(record.response.body);
  row.step.ends_session = api::ends_session(row.step.error_code) || (row.step.error_code == 0 && is_logout(record));
  take_in_asides(row, record);
  row.says_success = row.step.error_code ? *row.step.error_code == 0 : record.response.status < 400;
  numbering_.note(row, record);
  if (row.recorded) {
    note_device(record, take_of(row.take));
    row.digest = digest_of_content(record);
    begun_.note(row.scope, row.id, record);
  }
  bytes += record.request.target.size() + record.request.body.size() + record.response.body.size();
  options_.progress("scrubbing", std::min(bytes, head_.bytes), head_.bytes);
  rows.push_back(row);
}

/// Notes the device's address if a stored text contains it, so that replay must exchange it. With private data, that is
/// its pseudonym.
void Survey::note_address(std::uint32_t take, const scrubbers::InteractionRecord& record) {
  const auto found = addresses_.find(take);
  if (found == addresses_.end() || !found->second.mentioned.empty()) return;
  for (const std::string& text : found->second.spellings) {
    const http::OriginText device(text);
    const bool is_mentioned =
        device.is_in(record.response.body) || device.is_in(record.request.body) || device.is_in(record.request.target);
    if (is_mentioned) found->second.mentioned = text;
  }
}

/// Finds the sessions that begin without a login, and the accounts of all sessions. A session without a login has the
/// account of the session whose request began it.
void Survey::begin_sessions() {
  const std::map<std::int64_t, std::uint32_t> begun = begun_.find();
  std::vector<Row*> in_order;
  for (Row& row : rows) {
    if (!row.recorded) continue;
    if (const auto found = begun.find(row.id); found != begun.end()) row.begins = found->second;
    if (row.begins != 0) numbering_.note_begun(row);
    in_order.push_back(&row);
  }
  std::sort(in_order.begin(), in_order.end(), [](const Row* a, const Row* b) {
    return std::tuple(a->step.started_us, a->arrival) < std::tuple(b->step.started_us, b->arrival);
  });
  for (Row* const row : in_order) {
    auto& accounts = old_accounts_[{row->take, row->scope}];
    std::uint32_t account = row->step.account;
    const std::uint32_t before = row->begins == 0 ? 0 : std::exchange(row->step.session, row->begins);
    if (account == 0 && before != 0) {
      const auto found = accounts.find(before);
      account = found == accounts.end() ? 0 : found->second;
    }
    // A response to a refused login may contain the ID of a session that the login did not create.
    if (account != 0 && row->step.session != 0 && row->says_success) accounts.try_emplace(row->step.session, account);
  }
}

void Survey::compute_secrets() {
  secrets_.compute([this](const RequestSecrets::Place& place, scrubbers::Redaction& redaction) {
    Row row;
    row.take = place.first;
    row.scope = place.second;
    row.recorded = place.first == recorded_take;
    numbering_.apply(row, redaction);
  });
}

void Survey::take_in_asides(Row& row, const scrubbers::InteractionRecord& record) {
  row.step.first_aside = static_cast<std::uint32_t>(asides.size());
  for (FoundAside& found : asides_of(record, api::KeyPolicy(take_of(row.take).key_policy))) {
    const auto [known, is_new] = aside_key_numbers_.try_emplace(aside_name(row.scope, found.key_text),
                                                                static_cast<std::uint32_t>(aside_keys.size()));
    if (is_new) aside_keys.push_back({row.scope, found.key_text});
    found.aside.key = known->second;
    if (!found.secrets.empty()) {
      found.aside.secrets =
          secrets_.add({row.take, row.scope}, std::move(found.secrets), found.response, known_headers_of(record));
    }
    asides.push_back(found.aside);
  }
  row.step.asides = static_cast<std::uint32_t>(asides.size()) - row.step.first_aside;
  if (const auto ended = end_of_session(std::span(asides).last(row.step.asides))) row.step.error_code = ended;
}

/// Finds calls that are also parts of compounds.
void Survey::find_parts() {
  if (asides.empty()) return;
  for (Key& key : keys) {
    const api::RequestKey call = api::RequestKey::parse(key.text);
    if (!call.is_call) continue;
    const auto known = aside_key_numbers_.find(aside_name(key.scope, part_key(call)));
    if (known != aside_key_numbers_.end()) key.part = known->second + 1;
  }
  for (Row& row : rows) row.step.part = keys[row.step.key].part;
}

std::uint32_t Survey::account(const Part& part, std::uint32_t session) const {
  const auto of_part = accounts_.find(part);
  if (of_part == accounts_.end()) return 0;
  const auto found = of_part->second.find(session);
  return found == of_part->second.end() ? 0 : found->second;
}

const std::map<std::uint32_t, SessionSpan>* Survey::stored_sessions(const Part& part) const {
  const auto found = stored_sessions_.find(part);
  return found == stored_sessions_.end() ? nullptr : &found->second;
}

void Survey::sort_and_number() {
  const auto in_time = [](const Row& row) {
    // Finished takes keep their order, because their times may have been edited.
    return row.recorded ? std::tuple(row.take, row.step.started_us, row.step.ended_us, row.arrival)
                        : std::tuple(row.take, row.arrival, row.arrival, row.arrival);
  };
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return std::tuple(in_time(a), a.digest) < std::tuple(in_time(b), b.digest);
  });
  std::uint32_t ord = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    ord = i > 0 && rows[i - 1].take == row.take ? ord + 1 : 1;
    if (!row.recorded) continue;
    number_account(row);
    row.ord = ord;
    if (row.step.session == 0) continue;
    const std::uint32_t old = std::exchange(row.step.session, numbering_.session(row, row.step.session));
    auto& accounts = old_accounts_[{row.take, row.scope}];
    if (const auto account = accounts.find(old); account != accounts.end()) {
      accounts_[{row.take, row.scope}][row.step.session] = numbering_.account(row, account->second);
    }
  }
}

/// Gives the account of a login its number.
void Survey::number_account(Row& row) {
  if (!row.recorded || row.step.account == 0) return;
  const std::uint32_t old = std::exchange(row.step.account, numbering_.account(row, row.step.account));
  const auto check = recorded_checks_.values.find(old);
  if (check != recorded_checks_.values.end()) checks_[{{row.take, row.scope}, row.step.account}] = check->second;
}

std::optional<std::uint8_t> Survey::check_of(const Part& part, std::uint32_t account) const {
  const auto found = checks_.find({part, account});
  return found == checks_.end() ? std::nullopt : std::optional(found->second);
}

void Survey::make_ids() {
  std::map<std::tuple<std::uint32_t, std::uint32_t, Digest>, std::uint32_t> seen;
  for (Row& row : rows) {
    if (!row.recorded) continue;
    const std::uint32_t n = seen[{row.take, row.step.key, row.digest}]++;
    const Key& key = keys[row.step.key];
    row.digest = interaction_digest(
        {take_of(row.take).id, scopes[key.scope], key.text, {row.digest.data(), row.digest.size()}, n});
  }
}

/// Called after the IDs are made, because they must not change.
void Survey::mark_withheld() {
  if (options_.withheld.interactions.empty()) return;
  for (Row& row : rows) {
    const std::string id = base::to_hex(std::string_view(row.digest.data(), row.digest.size()));
    const auto found = options_.withheld.interactions.find(id);
    if (found == options_.withheld.interactions.end()) continue;
    row.withheld = &found->second;
    row.step.completeness = api::Completeness::withheld;
    row.step.error_code.reset();
    row.step.asides = 0;
    if (!options_.withheld.requests.contains(id)) continue;
    row.keeps_request = false;
    row.secrets = 0;
    const scrubbers::InteractionRecord record = load(row);
    row.has_holes = record.key.has_holes;
    row.step.key = static_cast<std::uint32_t>(keys.size());
    keys.push_back({row.scope, record.key.text});
  }
  if (!options_.withheld.requests.empty()) drop_unused_keys();
}

/// Removes each key whose last request was removed. Equal keys become one.
void Survey::drop_unused_keys() {
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> used;
  std::vector<Key> kept;
  for (Row& row : rows) {
    Key& key = keys[row.step.key];
    const auto [found, is_new] = used.try_emplace({key.scope, key.text}, static_cast<std::uint32_t>(kept.size()));
    if (is_new) kept.push_back(key);
    row.step.key = found->second;
  }
  keys = std::move(kept);
}

scrubbers::InteractionRecord Survey::scrubbed_again(const Row& row, scrubbers::InteractionRecord record,
                                                    ScrubbedAgain* change) {
  const std::vector<scrubbers::Redaction> before = change ? record.redactions : std::vector<scrubbers::Redaction>();
  const bool was_withheld = record.completeness == api::Completeness::withheld;
  record = scrubber_->rescrub(std::move(record), numbers_in(row)).interaction.record();
  check_redactions(record);
  if (change) {
    change->key = record.key.text;
    change->added = added_redactions(before, record.redactions);
    if (!was_withheld && record.completeness == api::Completeness::withheld) change->withheld = record.reason;
  }
  return record;
}

scrubbers::InteractionRecord Survey::load(const Row& row, ScrubbedAgain* change) {
  scrubbers::InteractionRecord record = stored(row);
  if (row.changed) record = scrubbed_again(row, std::move(record), change);
  record.scope = scopes[row.scope];
  if (row.withheld && row.keeps_request) record = scrubbers::without_contents(std::move(record), *row.withheld);
  if (row.withheld && !row.keeps_request) {
    record = scrubbers::without_request(std::move(record), *row.withheld);
    record.key = scrubbers::key_of(record, api::KeyPolicy(take_of(row.take).key_policy), {}, {});
  }
  if (row.begins != 0) begin_session(record, row.begins);
  numbering_.apply(row, record);
  return record;
}

}  // namespace tapedeck::cassettes
