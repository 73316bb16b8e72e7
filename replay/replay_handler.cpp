#include "replay/replay_handler.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "cassettes/read/check_cassette.h"
#include "replay/builtins/compound_responder.h"
#include "replay/builtins/fallbacks.h"
#include "replay/builtins/info_responder.h"
#include "replay/builtins/miss_responder.h"
#include "replay/effects/effect_responder.h"
#include "replay/ledger.h"
#include "replay/overlays/overlay_responder.h"
#include "replay/recorded/match_rules.h"
#include "replay/recorded/player.h"
#include "replay/recorded/tapes.h"
#include "replay/sessions/device_guard.h"
#include "replay/sessions/login_responder.h"
#include "replay/sessions/session_check.h"

namespace tapedeck::replay {
namespace {

// Which state a thread has in which handler. Numbers are never used again, so that a handler that is gone is never
// taken for a new one.
std::atomic<std::uint64_t> handlers_made = 0;
thread_local std::vector<std::pair<std::uint64_t, ThreadState*>> states_of_this_thread;

}  // namespace

struct ReplayHandler::Impl {
  Impl(ReplayOptions given, unsigned threads);

  [[nodiscard]] ThreadState& state();
  [[nodiscard]] std::unique_ptr<ThreadState> make_state() const;
  /// Of the newest cassettes; null: there is none at that place.
  [[nodiscard]] std::shared_ptr<Edition> edition(std::size_t cassette) const {
    const auto newest = shelf.newest();
    return cassette < newest->editions.size() ? newest->editions[cassette] : nullptr;
  }
  [[nodiscard]] Visit visit(const http::Request& request, ThreadState& thread);
  /// Tells of what was not told of before.
  void note(Notice notice);
  void note_miss(const Visit& visit, const MissReport& report) {
    note({Notice::Kind::miss, scope_text(visit), report.line()});
  }

  const std::uint64_t number = ++handlers_made;
  const ReplayOptions options;
  const unsigned threads;
  LiveRules live_rules;
  TapeShelf shelf;
  std::vector<std::string> warnings;
  PlayedScopes played_scopes;  ///< filled where the chain has an end

  mutable std::mutex mutex;
  std::vector<std::unique_ptr<ThreadState>> states;  ///< guarded by `mutex`
  bool is_first_state_free = true;                   ///< the one that looked around at the start; guarded by `mutex`
  std::map<Notice::Kind, std::set<Notice>> notices;  ///< distinct ones, guarded by `mutex`

  Scopes scopes;
  OverlayStore overlay_store;
  std::optional<DelayEverything> delay;
  OverlayResponder overlay;
  MintShapes shapes;  ///< of a recorded login, once the cassettes are open
  Ledger ledger;
  DeviceKnowledge knowledge;
  SessionCheck session;
  LoginResponder login;
  Player player;
  InfoResponder info;
  CompoundResponder compound;
  std::vector<Fallback> specified;
  Effects effects;
  WriteWatch write_watch;
  ResponseChanger response_changer;
  WriteReplier write_replier;
  MissResponder miss;
  DeviceWatch watch;
  ToDevice to_device;
  DeviceGuard guard;
  Chain chain, part_chain;

 private:
  [[nodiscard]] std::vector<Chain::Link> links();
};

ReplayHandler::Impl::Impl(ReplayOptions given, unsigned thread_count)
    : options(std::move(given)),
      threads(std::max(1U, thread_count)),
      live_rules(looseness_of(options)),
      shelf(options.cassettes, options.journal != nullptr || options.counts_use),
      played_scopes(options.rerecord),
      overlay_store(options.overlay_files, options.effects ? builtin_effects() : std::vector<EffectPtr>()),
      overlay(
          overlay_store,
          {options.seed, options.hang_time, options.longest_body, options.end != nullptr, options.private_values.get()},
          [this](const Visit& visit, const MissReport& report) { note_miss(visit, report); }, options.on_warning),
      ledger(options.journal, options.rules, [this](Notice notice) { note(std::move(notice)); }),
      knowledge(options.firmware, scopes.outside().sessions),
      session(options, scopes, played_scopes, knowledge, chain, shapes),
      login(options, scopes, chain, shapes),
      player(options, scopes.outside().sessions),
      info(knowledge, options.end != nullptr),
      compound(part_chain, options.end != nullptr ? &player : nullptr),
      specified(fallbacks(knowledge)),
      effects(overlay_store, knowledge, ledger.keys(), options.private_values.get(), options.longest_body,
              options.on_warning),
      write_watch(effects),
      response_changer(effects),
      write_replier(effects),
      miss(options, knowledge, [this](const Visit& visit, const MissReport& report) { note_miss(visit, report); }),
      to_device(options.logins_go_to_end),
      guard(options.miss_status, [this](const Visit& visit, const MissReport& report) { note_miss(visit, report); }),
      chain(links(), &ledger, options.end),
      part_chain(chain.for_parts()) {
  const auto opened = shelf.newest();
  for (std::size_t i = 0; i < opened->editions.size(); ++i) {
    const Edition& edition = *opened->editions[i];
    if (options.end != nullptr) played_scopes.add(edition.reader, edition.scopes.get());
    for (std::string& line : warnings_of(shelf.paths()[i], edition.reader.info())) {
      warnings.push_back(std::move(line));
    }
  }
  states.push_back(make_state());
  shapes = recorded_shapes(*states.front());
  if (options.scope) scopes.begin(*options.scope);
}

std::vector<Chain::Link> ReplayHandler::Impl::links() {
  std::vector<Chain::Link> links = {{Stage::session, &session}};
  if (options.delay) {
    delay.emplace(*options.delay, overlay_store.counts(), options.seed);
    links.insert(links.begin(), {Stage::session, &*delay});
  }
  if (options.end != nullptr) links.push_back({Stage::session, &watch});
  // While recording, every response is the device's.
  const bool has_effects = options.end == nullptr;
  if (has_effects) links.push_back({Stage::written, &write_watch});
  links.push_back({Stage::overlay, &overlay});
  if (has_effects) links.push_back({Stage::changed, &response_changer});
  if (options.end != nullptr) links.push_back({Stage::login, &to_device});
  links.push_back({Stage::login, &login});
  links.push_back({Stage::player, &player});
  links.push_back({Stage::info, &info});
  links.push_back({Stage::compound, &compound});
  if (options.end != nullptr) {
    links.push_back({Stage::miss, &guard});
    return links;
  }
  links.push_back({Stage::effect, &write_replier});
  if (options.fallback) {
    for (Fallback& fallback : specified) links.push_back({Stage::fallback, &fallback});
  }
  links.push_back({Stage::miss, &miss});
  return links;
}

std::unique_ptr<ThreadState> ReplayHandler::Impl::make_state() const {
  const std::size_t share = options.cache_bytes / threads;
  DeckOptions deck;
  deck.secure = options.secure;
  deck.check_tokens = options.auth == Auth::strict;
  deck.rules = &live_rules;
  deck.cache_bytes = (share - share / 8) / std::max<std::size_t>(1, options.cassettes.size());
  auto made = std::make_unique<ThreadState>(share / 8, deck);
  made->begin_with_newest(shelf);
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

Visit ReplayHandler::Impl::visit(const http::Request& request, ThreadState& thread) {
  const std::vector<std::string>& base_paths = thread.newest->base_paths;
  if (!options.private_values) return {request, base_paths, thread.policy(), thread.memo, scopes.outside()};
  auto exchanged = std::make_shared<http::Request>(request);
  BroughtValues brought{options.private_values, options.private_values->exchange(*exchanged)};
  return {std::move(exchanged), std::move(brought), base_paths, thread.policy(), thread.memo, scopes.outside()};
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

ReplayHandler::ReplayHandler(ReplayOptions options, unsigned threads)
    : impl_(std::make_unique<Impl>(std::move(options), threads)) {}

ReplayHandler::~ReplayHandler() = default;

void ReplayHandler::handle(std::shared_ptr<http::Exchange> exchange) {
  try {
    ThreadState& thread = impl_->state();
    thread.begin_with_newest(impl_->shelf);
    impl_->chain.handle(exchange, impl_->visit(exchange->request(), thread), thread);
  } catch (const std::exception& error) {
    // A cassette that is found damaged must not be served on as if it were whole, nor is a server that cannot answer.
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
    sum.builtin_effects += state->builtin_effects.load(std::memory_order_relaxed);
    sum.builtin_errors += state->builtin_errors.load(std::memory_order_relaxed);
  }
  const auto misses = impl_->notices.find(Notice::Kind::miss);
  sum.distinct_misses = misses == impl_->notices.end() ? 0 : misses->second.size();
  return sum;
}

std::vector<std::string> ReplayHandler::look_again() { return impl_->shelf.look_again(); }

std::uint64_t ReplayHandler::unverified() const {
  const auto newest = impl_->shelf.newest();
  return static_cast<std::uint64_t>(std::count_if(
      newest->editions.begin(), newest->editions.end(),
      [](const auto& edition) { return !edition->reader.info().finished || !edition->reader.info().verified; }));
}

std::vector<std::string> ReplayHandler::scopes_that_ran() const {
  std::set<std::string> shown;
  const auto newest = impl_->shelf.newest();
  for (const std::string& name : impl_->scopes.ran()) {
    std::string stored = name;
    for (const auto& edition : newest->editions) {
      if (edition->scopes && stored == name) stored = edition->scopes->stored(name);
    }
    shown.insert(api::shown_scope(stored));
  }
  return {shown.begin(), shown.end()};
}

std::optional<std::int64_t> ReplayHandler::clock_us(const std::optional<api::ScopeName>& scope) const {
  const auto run = scope ? impl_->scopes.find(scope->text()) : nullptr;
  const std::int64_t latest = run ? run->latest_us() : scope ? 0 : impl_->scopes.outside().latest_us();
  if (latest != 0) return latest;
  const auto newest = impl_->shelf.newest();
  for (const bool in_scope : {true, false}) {
    if (in_scope && !scope) continue;
    for (const auto& edition : newest->editions) {
      if (in_scope && !edition->scopes) continue;
      const auto first = edition->reader.clone().first_us(in_scope ? edition->scopes->stored(scope->name) : "");
      if (first) return first;
    }
  }
  for (const auto& edition : newest->editions) {
    const auto& takes = edition->reader.info().takes;
    if (!takes.empty()) return takes.back().started_us;
  }
  return std::nullopt;
}

bool ReplayHandler::takes_effects() const { return impl_->options.end == nullptr; }

Scopes& ReplayHandler::scopes() { return impl_->scopes; }
bool ReplayHandler::plays_scope(const std::string& name) const { return impl_->played_scopes.has(name); }
OverlayStore& ReplayHandler::overlays() { return impl_->overlay_store; }

void ReplayHandler::each_use(const std::function<bool(const SequenceUse&)>& visit) const {
  bool goes_on = true;
  const auto newest = impl_->shelf.newest();
  for (std::size_t i = 0; goes_on && i < newest->editions.size(); ++i) {
    const Edition& edition = *newest->editions[i];
    if (!edition.usage) return;
    std::set<std::string, std::less<>> ran;
    if (edition.scopes) {
      for (const std::string& name : impl_->scopes.ran()) ran.insert(edition.scopes->stored(name));
    }
    replay::each_use(edition.reader.clone(), *edition.usage, impl_->shelf.paths()[i], [&](SequenceUse use) {
      use.scope_ran = use.scope.empty() || ran.contains(use.scope);
      goes_on = visit(use);
      return goes_on;
    });
  }
}

void ReplayHandler::check_large_cassettes(const std::function<bool()>& goes_on) {
  for (const auto& edition : impl_->shelf.newest()->editions) {
    if (edition->is_checked.exchange(true) || !cassettes::is_checked_later(edition->reader)) continue;
    cassettes::check_pages(edition->reader, goes_on);
  }
}

LiveRules& ReplayHandler::rules() { return impl_->live_rules; }

const scrubbers::RuleSet& ReplayHandler::scrub_rules() const { return impl_->options.rules; }

const std::vector<std::string>& ReplayHandler::cassettes() const { return impl_->options.cassettes; }

std::optional<cassettes::FullInteraction> ReplayHandler::recording(std::size_t cassette, std::string_view id) const {
  const auto edition = impl_->edition(cassette);
  return edition ? edition->reader.clone().get(id) : std::nullopt;
}

void ReplayHandler::each_answer(
    std::size_t cassette, const SequenceName& sequence,
    const std::function<void(const cassettes::ListedInteraction&, bool played)>& visit) const {
  const auto edition = impl_->edition(cassette);
  if (edition && edition->usage) replay::each_answer(edition->reader.clone(), *edition->usage, sequence, visit);
}

const std::vector<std::string>& ReplayHandler::warnings() const { return impl_->warnings; }

}  // namespace tapedeck::replay
