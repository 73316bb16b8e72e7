#include "replay/chain/ledger.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "api/scope_name.h"
#include "base/text.h"
#include "base/utf8.h"
#include "http/message/urlencoded.h"
#include "journal/refused_entry.h"
#include "replay/chain/thread_state.h"
#include "replay/recorded/playable.h"

namespace tapedeck::replay {
namespace {

constexpr std::size_t longest_key = 2'000;

using journal::readable_name;

void describe(journal::JournalEntry& entry, const Reply& reply) {
  if (reply.played && reply.prepared) {
    // A range or a 304 has another status than the recording.
    constexpr std::size_t status_at = 9, status_digits = 3;  // HTTP/1.1 200
    entry.status = base::whole_number<int>(reply.prepared->head.substr(status_at, status_digits)).value_or(0);
    entry.code = reply.played->playable->error_code();
    return;
  }
  entry.status = reply.response.status;
  entry.reason = reply.response.headers.first("X-Tapedeck-Miss").value_or("");
  std::string room;
  if (const auto verdict = api::verdict(reply.body_in(room)))
    entry.code = verdict->success ? std::optional(0) : verdict->error_code;
}

std::int64_t microseconds_of(const RequestContext& context) {
  using std::chrono::microseconds;
  return std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - context.begun).count();
}

/// Returns how much longer an overlay delays the response, in microseconds.
std::int64_t held_back(const Reply& reply) {
  if (!reply.delivery) return 0;
  auto time = reply.delivery->delay.value_or(std::chrono::microseconds(0));
  for (const PacedPiece& piece : reply.delivery->pace) time += piece.wait;
  return time.count();
}

using journal::HiddenValue;
using journal::KeptRequest;
using scrubbers::SecretClass;

constexpr std::size_t longest_path = 200;
constexpr std::size_t longest_headers = 8u << 10;

/// Returns true for headers whose values contain only facts about the request.
bool tells(std::string_view name) {
  static constexpr std::array<std::string_view, 7> names{
      "accept-encoding", "accept-language", "content-type", "origin", "range", "user-agent", "x-requested-with"};
  if (name.size() >= 3 && base::equal_no_case(name.substr(0, 3), "if-")) return true;
  if (base::equal_no_case(name, "accept")) return true;
  return std::any_of(names.begin(), names.end(),
                     [name](std::string_view one) { return base::equal_no_case(one, name); });
}

/// Returns a label for headers that carry a session. The journal shows that they exist, but not their values.
std::string_view label_of(std::string_view name) {
  if (base::equal_no_case(name, "cookie")) return "<COOKIE>";
  if (base::equal_no_case(name, "authorization")) return "<AUTHORIZATION>";
  if (base::equal_no_case(name, "x-syno-token")) return "<CSRF_TOKEN>";
  return {};
}

std::string shown_headers(const http::Headers& headers) {
  std::string text;
  for (const http::Header& line : headers) {
    const std::string_view label = label_of(line.name);
    if (label.empty() && !tells(line.name)) continue;
    if (text.size() + line.name.size() + line.value.size() > longest_headers) continue;
    text.append(line.name).append(": ").append(label.empty() ? std::string_view(line.value) : label).append("\r\n");
  }
  return text;
}

std::string left_out(const RequestContext& context) {
  std::string names;
  const auto add = [&](std::string_view name) {
    const api::KeyPolicy& policy = context.parsed().policy();
    const api::Call* const call = context.parsed().call();
    const bool in_login = call != nullptr && (call->is_any_login() || context.parsed().kind() == CallKind::resumption);
    const bool is_left_out = policy.leaves_out(name) || (in_login && policy.leaves_out_of_login(name));
    if (!is_left_out || names.find(name) != std::string::npos) return;
    names.append(names.empty() ? "" : ", ").append(name);
  };
  const http::Request& request = context.parsed().request();
  std::string_view query = http::split_target(request.target).query;
  while (!query.empty()) {
    std::string_view piece = base::take_until(query, '&');
    add(base::take_until(piece, '='));
  }
  if (request.body.empty() || context.parsed().call() == nullptr) return names;
  for (const api::Param& param : context.parsed().call()->params()) add(param.name);
  return names;
}

void add_own(const Session& session, std::vector<HiddenValue>& values) {
  values.push_back({session.id(), SecretClass::session_id});
  values.push_back({session.csrf_token(), SecretClass::csrf_token});
  values.push_back({session.device_id(), SecretClass::device_id});
}

/// Returns all values that a response might repeat and that must not be shown.
std::vector<HiddenValue> hidden_values(RequestContext& context, const journal::JournalKeys& keys) {
  const ParsedRequest& asked = context.parsed();
  std::vector<HiddenValue> values;
  add_own(context.session(), values);
  values.push_back({std::string(asked.session_id()), SecretClass::session_id});
  if (asked.session_step() == api::SessionStep::login)
    values.push_back({context.session().account().name, SecretClass::account});
  const api::Call* const call = asked.call();
  const auto add = [&](const api::RequestKey& key, const api::Call* of) {
    for (HiddenValue& one : keys.secret_values(key, of)) values.push_back(std::move(one));
  };
  add(context.key(), call);
  if (call != nullptr && asked.kind() == CallKind::compound) {
    for (const api::Call& part : call->parts().value_or(std::vector<api::Call>{})) add(asked.policy().key(part), &part);
  }
  return values;
}

void copy_answer(RequestContext& context, const Reply& reply, const journal::JournalKeys& keys, KeptRequest& kept) {
  const http::Response& answer = reply.response;
  const std::vector<HiddenValue> values = hidden_values(context, keys);
  kept.reason = answer.reason;
  kept.response_headers = journal::without_values(answer.headers.to_text(), values);
  std::string room;
  const std::string_view body = reply.body_in(room);
  kept.response_body = journal::without_values(body.substr(0, KeptRequest::longest_body), values);
  const bool is_whole = body.size() <= KeptRequest::longest_body;
  kept.body_bytes = is_whole ? kept.response_body.text.size() : body.size();
}

/// Copies what the journal keeps of a request besides its entry: enough to show it later, and nothing that must not be
/// shown. Only names a recorded response that is sent unchanged. Copies anything else, without values of the session
/// and of scrub rules.
std::shared_ptr<const KeptRequest> keep(RequestContext& context, const Reply& reply, const journal::JournalKeys& keys) {
  auto kept = std::make_shared<KeptRequest>();
  const http::Request& request = context.parsed().request();
  if (!context.parsed().part()) {
    if (context.parsed().is_call()) kept->path = http::split_target(request.target).path.substr(0, longest_path);
    kept->left_out = left_out(context);
    kept->headers = shown_headers(request.headers);
  }
  if (reply.played && reply.prepared) {
    kept->cassette = reply.cassette;
  } else if (!reply.delivery || !reply.delivery->connection_fault) {
    copy_answer(context, reply, keys, *kept);
  }
  return kept;
}

}  // namespace

std::string scope_text(const RequestContext& context) {
  constexpr std::size_t shortest_id = 8;
  constexpr std::string_view label = "<SESSION_ID>";
  if (!context.run().text) return {};
  if (context.selection && api::has_redacted_place(context.selection.scope->name)) {
    const std::string& text = *context.run().text;
    const std::size_t run = text.rfind('#');
    return api::shown_scope(context.selection.scope->name) +
           (run == std::string::npos ? std::string() : text.substr(run));
  }
  std::string text = *context.run().text;
  for (const std::string_view id : {std::string_view(context.session().id()), context.parsed().session_id()}) {
    if (id.size() < shortest_id) continue;
    for (std::size_t at = text.find(id); at != std::string::npos; at = text.find(id, at + label.size())) {
      text.replace(at, id.size(), label);
    }
  }
  return text;
}

void Ledger::observe(RequestContext& context, Reply& reply, ThreadState& thread) {
  thread.count(reply.outcome);
  if (reply.played) look_at_played(context, reply, thread);
  if (reply.outcome == Outcome::fallback) tell(Notice::Kind::fallback, context, reply);
  if (reply.outcome == Outcome::overlay && reply.is_simulated) ThreadState::add_one(thread.simulated);
  if (reply.outcome == Outcome::derived) look_at_derived(context, reply, thread);
  if (reply.outcome == Outcome::builtin) look_at_builtin(context, reply, thread);
  if (thread.cassettes.has_scopes()) look_at_scope(context, reply, thread);
  if (journal_ != nullptr) add(context, reply);
}

/// Reports a notice about the request's key. `more` is the text after the key.
void Ledger::tell(Notice::Kind kind, RequestContext& context, const Reply& reply, std::string_view more) const {
  const std::string key = key_text(context, reply);
  tell_({kind, scope_text(context), key, key + std::string(more)});
}

void Ledger::look_at_played(RequestContext& context, const Reply& reply, ThreadState& thread) {
  context.run().played_at(reply.played->playable->recorded_us());
  if (!reply.played->in_order) {
    ThreadState::add_one(thread.out_of_order);
    tell(Notice::Kind::order, context, reply);
  }
  if (reply.played->account_differs) {
    ThreadState::add_one(thread.account_guesses);
    tell(Notice::Kind::account, context, reply);
  }
  if (!reply.played->past_end) return;
  ThreadState::add_one(thread.past_end);
  tell(Notice::Kind::past_end, context, reply);
}

void Ledger::look_at_derived(RequestContext& context, const Reply& reply, ThreadState& thread) {
  if (reply.by_builtin_effect) ThreadState::add_one(thread.builtin_effects);
  tell(reply.by_builtin_effect ? Notice::Kind::builtin_effect : Notice::Kind::derived, context, reply);
}

void Ledger::look_at_builtin(RequestContext& context, const Reply& reply, ThreadState& thread) {
  // This avoids parsing API lists, which are long.
  if (!reply.response.body.starts_with("{\"error\"")) return;
  const auto verdict = api::verdict(reply.response.body);
  if (!verdict || verdict->success) return;
  ThreadState::add_one(thread.builtin_errors);
  const std::string code = verdict->error_code ? std::to_string(*verdict->error_code) : std::string("no code");
  tell(Notice::Kind::builtin_error, context, reply, ": " + code);
}

/// If the cassettes have scopes, checks whether the response comes from the request's scope.
void Ledger::look_at_scope(RequestContext& context, const Reply& reply, ThreadState& thread) {
  if (context.scope_is_recorded || (context.selection && (!reply.played || reply.played->is_of_scope))) return;
  ThreadState::add_one(thread.out_of_scope);
  if (!context.scope_run()) return tell(Notice::Kind::scope, context, reply, ": requested without a scope");
  if (context.selection) {
    constexpr const char* elsewhere = ": not in this scope; replayed from recordings without a scope";
    return tell(Notice::Kind::scope, context, reply, elsewhere);
  }
  tell_({Notice::Kind::scope, scope_text(context), {}, "no cassette contains this scope"});
}

void Ledger::add(RequestContext& context, Reply& reply) const {
  const ParsedRequest& asked = context.parsed();
  journal::JournalEntry entry;
  entry.session = display_name(context.session());
  entry.scope = scope_text(context);
  entry.verb = readable_name(asked.verb());
  entry.part = asked.part();
  if (const api::Call* const call = asked.call()) {
    entry.api = readable_name(call->api());
    entry.version = readable_name(call->version());
    entry.method = readable_name(call->folded_method());
  }
  entry.key = key_text(context, reply);
  entry.outcome = to_string(reply.outcome);
  if (reply.played) {
    entry.recording = reply.played->playable->id();
    entry.match = reply.played->match;
    if (reply.played->of > 0) {
      entry.position = reply.played->position;
      entry.of = reply.played->of;
    }
  }
  describe(entry, reply);
  if (reply.delivery) {
    entry.overlay = reply.delivery->names;
    if (reply.delivery->connection_fault) entry.reason = "a fault instead of a response";
  }
  entry.duration_us = microseconds_of(context);
  *entry.duration_us += held_back(reply);
  if (!reply.delivery || !reply.delivery->connection_fault) entry.bytes = reply.body_bytes();
  std::shared_ptr<const KeptRequest> kept = journal_->keeps() ? keep(context, reply, keys_) : nullptr;
  if (reply.is_socket() && (!reply.delivery || !reply.delivery->connection_fault)) {
    reply.socket_ended = [journal = journal_, entry, kept](const api::MessageCounts& counts) {
      journal::JournalEntry whole = entry;
      whole.messages = counts;
      journal->add(std::move(whole), kept);
    };
    return;
  }
  const std::uint64_t number = journal_->add(std::move(entry), std::move(kept));
  if (reply.delivery) reply.delivery->request = number;
}

/// Returns the key's text. A key that matched a recording exactly is scrubbed already.
std::string Ledger::key_text(RequestContext& context, const Reply& reply) const {
  const api::RequestKey& key = context.key();
  const bool is_recorded = reply.played && reply.played->match.empty() && reply.outcome == Outcome::recorded;
  return base::shortened(is_recorded ? key.text : keys_.text(key, context.parsed().call(), longest_key), longest_key);
}

}  // namespace tapedeck::replay
