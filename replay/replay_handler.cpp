#include "replay/replay_handler.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "cassettes/read/check_cassette.h"
#include "cassettes/read/drawn_parameters.h"
#include "replay/chain/ledger.h"
#include "replay/match_rules.h"
#include "replay/recorded/cassette_set.h"
#include "replay/recorded/player.h"
#include "replay/recorded/recorded_scope.h"
#include "replay/stages/answer.h"
#include "replay/weblogin/server_keys.h"

namespace tapedeck::replay {
namespace {

// Numbers the handlers, so that threads find their state in each. Numbers are never reused, so a new handler is not
// mistaken for a destroyed one.
std::atomic<std::uint64_t> handlers_made = 0;
thread_local std::vector<std::pair<std::uint64_t, ThreadState*>> states_of_this_thread;

/// Returns false for most requests that are not of Engine.IO, without parsing.
bool may_be_engine_io(const http::Request& request) { return request.target.find("EIO=") != std::string::npos; }

/// Returns the seed of the web login's keys: the random number of the first cassette's first take.
std::string key_seed(const CassetteSet& opened) {
  if (opened.cassettes.empty()) return {};
  const auto& takes = opened.cassettes.front()->reader.info().takes;
  return takes.empty() ? std::string() : takes.front().id;
}

}  // namespace

struct ReplayHandler::Impl {
  Impl(ReplayOptions given, unsigned threads);

  [[nodiscard]] ThreadState& state();
  [[nodiscard]] std::unique_ptr<ThreadState> make_state() const;
  void ignore_drawn_parameters(const CassetteSet& set);
  /// Returns the newest cassette at that index, or null.
  [[nodiscard]] std::shared_ptr<OpenCassette> cassette(std::size_t place) const {
    const auto newest = watch.newest();
    return place < newest->cassettes.size() ? newest->cassettes[place] : nullptr;
  }
  [[nodiscard]] RequestContext context_of(const http::Request& request, ThreadState& thread);
  /// Reports a notice if it is new.
  void note(Notice notice);
  using SocketEnded = std::function<void(const api::MessageCounts&)>;
  /// Returns a function that counts and reports the messages of a client that differ from the recording, and then calls
  /// `next`, if there is one.
  [[nodiscard]] SocketEnded note_of_socket(RequestContext& context, ThreadState& thread, SocketEnded next);
  /// Opens a connection for a handshake of Engine.IO, and notes its interval of heartbeats, which the reply gets.
  void see_handshake(const RequestContext& context, Reply& reply);
  /// Reports a warning if it is new.
  void warn(const std::string& line);

  const std::uint64_t number = ++handlers_made;
  const ReplayOptions options;
  const unsigned threads;
  /// The interval of Engine.IO's heartbeats that was announced last, in milliseconds. Servers announce longer ones.
  std::atomic<std::int64_t> heartbeats = 10'000;
  PollConnections polls;
  LiveRules live_rules;
  CassetteWatch watch;
  std::vector<std::string> warnings;
  PlayedScopes played_scopes;  ///< filled only if there is an end

  mutable std::mutex mutex;
  std::vector<std::unique_ptr<ThreadState>> states;  ///< guarded by `mutex`
  bool is_first_state_free = true;                   ///< the state that the constructor used; guarded by `mutex`
  std::map<Notice::Kind, std::set<Notice>> notices;  ///< distinct ones; guarded by `mutex`
  std::set<std::string> lines;                       ///< distinct warnings; guarded by `mutex`

  Scopes scopes;
  OverlayStore overlay_store;
  const weblogin::ServerKeys web_keys;
  HeldReplies held;
  MintShapes shapes;  ///< shapes of a recorded login, set once the cassettes are open
  Ledger ledger;
  DeviceKnowledge knowledge;
  Player player;
  const Services services{options,
                          scopes,
                          played_scopes,
                          overlay_store,
                          knowledge,
                          player,
                          shapes,
                          web_keys,
                          ledger,
                          [this](const RequestContext& context, const MissReport& report) {
                            note({Notice::Kind::miss, scope_text(context), report.key, report.line(), report.hint});
                          },
                          [this](const std::string& line) { warn(line); }};
};

ReplayHandler::Impl::Impl(ReplayOptions given, unsigned thread_count)
    : options(std::move(given)),
      threads(std::max(1U, thread_count)),
      live_rules(looseness_of(options)),
      watch(options.cassettes, options.journal != nullptr || options.counts_use, options.match_headers),
      played_scopes(options.rerecord),
      overlay_store(options.overlay_files, options.effects ? builtin_effects() : std::vector<EffectPtr>(),
                    options.simulated_device),
      web_keys(key_seed(*watch.newest())),
      ledger(options.journal, options.rules, [this](Notice notice) { note(std::move(notice)); }),
      knowledge(scopes.outside().sessions),
      player({{options.cursors, options.at_end, options.end != nullptr}, options.auth == Auth::strict},
             scopes.outside().sessions) {
  const auto opened = watch.newest();
  for (std::size_t i = 0; i < opened->cassettes.size(); ++i) {
    const OpenCassette& cassette = *opened->cassettes[i];
    if (options.end != nullptr) played_scopes.add(cassette.reader, cassette.scopes.get());
    for (std::string& line : warnings_of(watch.paths()[i], cassette.reader.info())) {
      warnings.push_back(std::move(line));
    }
  }
  const auto& ignored = options.ignore_params;
  if (std::find(ignored.begin(), ignored.end(), ignore_drawn) != ignored.end()) ignore_drawn_parameters(*opened);
  states.push_back(make_state());
  shapes = recorded_shapes(*states.front());
}

void ReplayHandler::Impl::ignore_drawn_parameters(const CassetteSet& set) {
  std::vector<const cassettes::CassetteReader*> readers;
  for (const auto& cassette : set.cassettes) readers.push_back(&cassette->reader);
  for (const cassettes::DrawnParameter& one : cassettes::drawn_parameters(readers)) {
    MatchRule rule;
    rule.api = one.api;
    rule.ignore = {one.name};
    live_rules.add(std::move(rule));
  }
}

std::unique_ptr<ThreadState> ReplayHandler::Impl::make_state() const {
  const std::size_t share = options.cache_bytes / threads;
  LookupOptions lookup;
  lookup.secure = options.secure;
  lookup.check_tokens = options.auth == Auth::strict;
  lookup.rules = &live_rules;
  lookup.web_keys = &web_keys;
  lookup.cache_bytes = (share - share / 8) / std::max<std::size_t>(1, options.cassettes.size());
  auto made = std::make_unique<ThreadState>(share / 8, lookup);
  made->begin_with_newest(watch);
  return made;
}

ThreadState& ReplayHandler::Impl::state() {
  for (const auto& [handler, state] : states_of_this_thread) {
    if (handler == number) return *state;
  }
  const std::lock_guard lock(mutex);
  if (!is_first_state_free) states.push_back(make_state());
  is_first_state_free = false;
  states_of_this_thread.emplace_back(number, states.back().get());
  return *states.back();
}

RequestContext ReplayHandler::Impl::context_of(const http::Request& request, ThreadState& thread) {
  const CassetteSet& cassettes = thread.cassettes.set();
  std::shared_ptr<http::Request> exchanged = with_device(request, cassettes.device, options.secure);
  const bool is_poll = may_be_engine_io(request);
  if (!options.private_values && !is_poll && !exchanged) {
    return {request, cassettes, thread.cassettes.policy(), thread.memo, scopes.outside()};
  }
  if (!exchanged) exchanged = std::make_shared<http::Request>(request);
  auto connection = is_poll ? polls.exchange(*exchanged) : nullptr;
  OriginalValues originals;
  if (options.private_values) originals = {options.private_values, options.private_values->exchange(*exchanged)};
  RequestContext context(std::move(exchanged), std::move(originals), cassettes, thread.cassettes.policy(), thread.memo,
                         scopes.outside());
  context.connection = std::move(connection);
  return context;
}

void ReplayHandler::Impl::note(Notice notice) {
  constexpr std::size_t most_distinct = 10'000;
  {
    const std::lock_guard lock(mutex);
    std::set<Notice>& seen = notices[notice.kind];
    if (seen.size() >= most_distinct || !seen.insert(notice).second) return;
  }
  if (options.on_notice) options.on_notice(notice);
}

ReplayHandler::Impl::SocketEnded ReplayHandler::Impl::note_of_socket(RequestContext& context, ThreadState& thread,
                                                                     SocketEnded next) {
  const std::string key = ledger.keys().text(context.key(), context.parsed().call());
  return [this, &thread, scope = scope_text(context), key, next = std::move(next)](const api::MessageCounts& counts) {
    if (next) next(counts);
    if (counts.different == 0) return;
    thread.other_messages.fetch_add(counts.different, std::memory_order_relaxed);
    note({Notice::Kind::messages, scope, key,
          key + ": " + std::to_string(counts.different) + " of " + std::to_string(counts.received) +
              " messages of the client differ from the recording"});
  };
}

void ReplayHandler::Impl::see_handshake(const RequestContext& context, Reply& reply) {
  const int version = api::engine_io_version(context.parsed().request().target);
  if (version == 0) return;
  std::string room;
  const std::string_view body = reply.is_socket() ? std::string_view() : reply.body_in(room);
  if (const auto interval = api::announced_interval(body)) heartbeats = interval->count();
  reply.heartbeats = std::chrono::milliseconds(heartbeats);
  if (context.connection == nullptr) {
    auto opened = polls.open(body);
    if (opened) reply.set_body(*std::move(opened));
  } else if (!reply.is_socket() && reply.played && reply.played->wait.count() > 0) {
    // A poll after the last event, or before the client has sent the next message, gets no event again.
    reply.set_body(std::string(context.connection->idle(version, reply.heartbeats)));
  }
}

void ReplayHandler::Impl::warn(const std::string& line) {
  constexpr std::size_t most_distinct = 1'000;
  {
    const std::lock_guard lock(mutex);
    if (lines.size() >= most_distinct || !lines.insert(line).second) return;
  }
  if (options.on_warning) options.on_warning(line);
}

ReplayHandler::ReplayHandler(ReplayOptions options, unsigned threads)
    : impl_(std::make_unique<Impl>(std::move(options), threads)) {}

ReplayHandler::~ReplayHandler() = default;

void ReplayHandler::handle(std::shared_ptr<http::Exchange> exchange) {
  try {
    ThreadState& thread = impl_->state();
    thread.begin_with_newest(impl_->watch);
    RequestContext context = impl_->context_of(exchange->request(), thread);
    if (context.connection && context.connection->take_heartbeat(exchange->request())) {
      return exchange->respond(http::text_response(200, "ok"));
    }
    if (auto reply = answer(impl_->services, context, thread)) {
      if (may_be_engine_io(exchange->request())) impl_->see_handshake(context, *reply);
      if (reply->is_socket()) {
        reply->socket_ended = impl_->note_of_socket(context, thread, std::move(reply->socket_ended));
      }
      if (reply->delivery && reply->delivery->is_held) return impl_->held.hold(exchange, std::move(*reply));
      return deliver(exchange, std::move(*reply));
    }
    hand_over(impl_->services, exchange, context);
  } catch (const cassettes::CassetteError& error) {
    // A damaged cassette must not be served as if it were complete. Any other exception fails only this request.
    if (impl_->options.on_failure) impl_->options.on_failure(std::string("stopping the replay: ") + error.what());
    exchange->abort();
  }
}

ReplayStats ReplayHandler::stats() const {
  const std::lock_guard lock(impl_->mutex);
  ReplayStats sum;
  for (const auto& state : impl_->states) {
    const auto count = [&state](Outcome outcome) {
      return state->outcomes.at(static_cast<std::size_t>(outcome)).load(std::memory_order_relaxed);
    };
    sum.recorded += count(Outcome::recorded);
    sum.overlay += count(Outcome::overlay);
    sum.derived += count(Outcome::derived);
    sum.builtin += count(Outcome::builtin);
    sum.fallback += count(Outcome::fallback);
    sum.misses += count(Outcome::miss);
    sum.out_of_order += state->out_of_order.load(std::memory_order_relaxed);
    sum.out_of_scope += state->out_of_scope.load(std::memory_order_relaxed);
    sum.past_end += state->past_end.load(std::memory_order_relaxed);
    sum.account_guesses += state->account_guesses.load(std::memory_order_relaxed);
    sum.other_messages += state->other_messages.load(std::memory_order_relaxed);
    sum.simulated += state->simulated.load(std::memory_order_relaxed);
    sum.builtin_effects += state->builtin_effects.load(std::memory_order_relaxed);
    sum.builtin_errors += state->builtin_errors.load(std::memory_order_relaxed);
  }
  const auto misses = impl_->notices.find(Notice::Kind::miss);
  sum.distinct_misses = misses == impl_->notices.end() ? 0 : misses->second.size();
  return sum;
}

std::vector<std::string> ReplayHandler::look_again() { return impl_->watch.look_again(); }

std::uint64_t ReplayHandler::unverified() const {
  const auto newest = impl_->watch.newest();
  return static_cast<std::uint64_t>(std::count_if(
      newest->cassettes.begin(), newest->cassettes.end(),
      [](const auto& cassette) { return !cassette->reader.info().finished || !cassette->reader.info().verified; }));
}

std::vector<std::string> ReplayHandler::scopes_that_ran() const {
  std::set<std::string> shown;
  const auto newest = impl_->watch.newest();
  for (const std::string& name : impl_->scopes.ran()) {
    std::string stored = name;
    for (const auto& cassette : newest->cassettes) {
      if (cassette->scopes && stored == name) stored = cassette->scopes->stored(name);
    }
    shown.insert(api::shown_scope(stored));
  }
  return {shown.begin(), shown.end()};
}

std::optional<std::int64_t> ReplayHandler::clock_us(const std::optional<api::ScopeName>& named) const {
  const std::optional<api::ScopeName>& scope = named ? named : impl_->options.scope;
  const auto run = scope ? impl_->scopes.find(scope->text()) : nullptr;
  const std::int64_t latest = run ? run->latest_us() : scope ? 0 : impl_->scopes.outside().latest_us();
  if (latest != 0) return latest;
  const auto newest = impl_->watch.newest();
  for (const bool in_scope : {true, false}) {
    if (in_scope && !scope) continue;
    for (const auto& cassette : newest->cassettes) {
      if (in_scope && !cassette->scopes) continue;
      const auto first = cassette->reader.clone().first_us(in_scope ? cassette->scopes->stored(scope->name) : "");
      if (first) return first;
    }
  }
  for (const auto& cassette : newest->cassettes) {
    const auto& takes = cassette->reader.info().takes;
    if (!takes.empty()) return takes.back().started_us;
  }
  return std::nullopt;
}

bool ReplayHandler::takes_effects() const { return impl_->options.end == nullptr; }

Scopes& ReplayHandler::scopes() { return impl_->scopes; }
bool ReplayHandler::plays_scope(const std::string& name) const { return impl_->played_scopes.has(name); }
OverlayStore& ReplayHandler::overlays() { return impl_->overlay_store; }
HeldReplies& ReplayHandler::held() { return impl_->held; }

void ReplayHandler::each_use(const std::function<bool(const SequenceUse&)>& visit) const {
  bool goes_on = true;
  const auto newest = impl_->watch.newest();
  for (std::size_t i = 0; goes_on && i < newest->cassettes.size(); ++i) {
    const OpenCassette& cassette = *newest->cassettes[i];
    if (!cassette.usage) return;
    std::set<std::string, std::less<>> ran;
    if (cassette.scopes) {
      for (const std::string& name : impl_->scopes.ran()) ran.insert(cassette.scopes->stored(name));
    }
    replay::each_use(cassette.reader.clone(), *cassette.usage, impl_->watch.paths()[i], [&](SequenceUse use) {
      use.scope_ran = use.scope.empty() || ran.contains(use.scope);
      goes_on = visit(use);
      return goes_on;
    });
  }
}

void ReplayHandler::check_large_cassettes(const std::function<bool()>& goes_on) {
  for (const auto& cassette : impl_->watch.newest()->cassettes) {
    if (cassette->is_checked.exchange(true) || !cassettes::is_checked_later(cassette->reader)) continue;
    cassettes::check_pages(cassette->reader, goes_on);
  }
}

LiveRules& ReplayHandler::rules() { return impl_->live_rules; }

const scrubbers::RuleSet& ReplayHandler::scrub_rules() const { return impl_->options.rules; }

const std::vector<std::string>& ReplayHandler::cassettes() const { return impl_->options.cassettes; }

std::optional<cassettes::FullInteraction> ReplayHandler::recording(std::size_t place, std::string_view id) const {
  const auto cassette = impl_->cassette(place);
  return cassette ? cassette->reader.clone().get(id) : std::nullopt;
}

void ReplayHandler::each_answer(
    std::size_t place, const SequenceName& sequence,
    const std::function<void(const cassettes::ListedInteraction&, bool played)>& visit) const {
  const auto cassette = impl_->cassette(place);
  if (cassette && cassette->usage) replay::each_answer(cassette->reader.clone(), *cassette->usage, sequence, visit);
}

const std::vector<std::string>& ReplayHandler::warnings() const { return impl_->warnings; }

}  // namespace tapedeck::replay
