#include "replay/replay_handler.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "replay/builtins/compound_responder.h"
#include "replay/builtins/fallbacks.h"
#include "replay/builtins/info_responder.h"
#include "replay/builtins/miss_responder.h"
#include "replay/ledger.h"
#include "replay/overlays/overlay_responder.h"
#include "replay/recorded/match_rules.h"
#include "replay/recorded/player.h"
#include "replay/sessions/device_guard.h"
#include "replay/sessions/login_responder.h"
#include "replay/sessions/session_check.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::replay {
namespace {

// Which state a thread has in which handler. Numbers are never used again, so that a handler that is gone is never
// taken for a new one.
std::atomic<std::uint64_t> handlers_made = 0;
thread_local std::vector<std::pair<std::uint64_t, ThreadState*>> states_of_this_thread;

std::vector<std::string> warnings_of(const std::string& path, const cassettes::CassetteInfo& info) {
  std::vector<std::string> lines;
  if (!info.finished) lines.push_back(path + " is unfinished: what is in it so far is played");
  if (!info.verified) {
    lines.push_back(path +
                    " is unverified: values learned late may still be in it; run `tapedeck scrub` before sharing it");
  }
  const std::string today = std::to_string(scrubbers::RuleSet::policy_number);
  const auto made_with = static_cast<std::size_t>(
      std::find_if(info.scrub_policy.begin(), info.scrub_policy.end(), [](char c) { return c < '0' || c > '9'; }) -
      info.scrub_policy.begin());
  if (made_with > 0 && info.scrub_policy.substr(0, made_with) != today) {
    lines.push_back(path + " was scrubbed by policy " + info.scrub_policy.substr(0, made_with) + ", today's is " +
                    today + ": run `tapedeck scrub`");
  }
  return lines;
}

}  // namespace

struct ReplayHandler::Impl {
  Impl(ReplayOptions given, unsigned threads);

  [[nodiscard]] ThreadState& state();
  /// The first thread plays from the readers that were opened, each later one from connections of its own.
  [[nodiscard]] std::unique_ptr<ThreadState> make_state(std::vector<cassettes::CassetteReader> readers) const;
  /// Called with the lock held.
  [[nodiscard]] cassettes::CassetteReader clone(std::size_t cassette) const {
    return states.front()->decks.at(cassette)->reader().clone();
  }
  [[nodiscard]] cassettes::CassetteReader locked_clone(std::size_t cassette) const {
    const std::lock_guard lock(mutex);
    return clone(cassette);
  }
  [[nodiscard]] std::vector<cassettes::CassetteReader> clones() const;
  /// Tells of what was not told of before.
  void note(Notice notice);
  void note_miss(const Visit& visit, const MissReport& report) {
    note({Notice::Kind::miss, scope_text(visit), report.line()});
  }

  const std::uint64_t number = ++handlers_made;
  const ReplayOptions options;
  const unsigned threads;
  LiveRules live_rules;
  std::vector<std::string> base_paths, warnings;
  std::uint64_t unverified = 0;                                ///< cassettes
  std::vector<std::unique_ptr<Usage>> usage;                   ///< of each cassette; empty when nobody asks
  std::vector<std::unique_ptr<const ScopeNames>> scope_names;  ///< of each cassette; null: it has none

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
  MissResponder miss;
  DeviceWatch watch;
  DeviceLogins device_logins;
  DeviceGuard guard;
  Chain chain, part_chain;

 private:
  [[nodiscard]] std::vector<cassettes::CassetteReader> open_cassettes();
  [[nodiscard]] std::vector<Chain::Link> links();
};

ReplayHandler::Impl::Impl(ReplayOptions given, unsigned thread_count)
    : options(std::move(given)),
      threads(std::max(1U, thread_count)),
      live_rules(looseness_of(options)),
      overlay_store(options.overlay_files),
      overlay(
          overlay_store, {options.seed, options.hang_time},
          [this](const Visit& visit, const MissReport& report) { note_miss(visit, report); }, options.on_warning),
      ledger(options.journal, options.rules, [this](Notice notice) { note(std::move(notice)); }),
      knowledge(options.firmware, scopes.outside().sessions),
      session(options, scopes, knowledge, chain, shapes),
      login(options, scopes, chain, shapes),
      player(options, scopes.outside().sessions),
      info(knowledge, options.end != nullptr),
      compound(part_chain, options.end != nullptr ? &player : nullptr),
      specified(fallbacks(knowledge)),
      miss(options, knowledge, [this](const Visit& visit, const MissReport& report) { note_miss(visit, report); }),
      guard(options.miss_status, [this](const Visit& visit, const MissReport& report) { note_miss(visit, report); }),
      chain(links(), &ledger, options.end),
      part_chain(chain.for_parts()) {
  states.push_back(make_state(open_cassettes()));
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
  links.push_back({Stage::overlay, &overlay});
  links.push_back({Stage::login, options.logins_go_to_end ? static_cast<Responder*>(&device_logins) : &login});
  links.push_back({Stage::player, &player});
  links.push_back({Stage::info, &info});
  links.push_back({Stage::compound, &compound});
  if (options.end != nullptr) {
    links.push_back({Stage::miss, &guard});
    return links;
  }
  if (options.fallback) {
    for (Fallback& fallback : specified) links.push_back({Stage::fallback, &fallback});
  }
  links.push_back({Stage::miss, &miss});
  return links;
}

std::vector<cassettes::CassetteReader> ReplayHandler::Impl::open_cassettes() {
  std::vector<cassettes::CassetteReader> readers;
  for (const std::string& path : options.cassettes) {
    cassettes::CassetteReader& reader = readers.emplace_back(path);
    const cassettes::CassetteInfo& found = reader.info();
    scope_names.push_back(ScopeNames::of(reader));
    if (options.journal != nullptr || options.counts_use) usage.push_back(std::make_unique<Usage>(found.interactions));
    if (!found.finished || !found.verified) ++unverified;
    for (std::string& line : warnings_of(path, found)) warnings.push_back(std::move(line));
    if (!found.base_path.empty() &&
        std::find(base_paths.begin(), base_paths.end(), found.base_path) == base_paths.end()) {
      base_paths.push_back(found.base_path);
    }
  }
  // The longest first: "/dsm/one" before "/dsm".
  std::sort(base_paths.begin(), base_paths.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return readers;
}

std::vector<cassettes::CassetteReader> ReplayHandler::Impl::clones() const {
  std::vector<cassettes::CassetteReader> readers;
  for (std::size_t i = 0; i < options.cassettes.size(); ++i) readers.push_back(clone(i));
  return readers;
}

std::unique_ptr<ThreadState> ReplayHandler::Impl::make_state(std::vector<cassettes::CassetteReader> readers) const {
  const std::size_t share = options.cache_bytes / threads;
  auto made = std::make_unique<ThreadState>(share / 8);
  DeckOptions deck;
  deck.secure = options.secure;
  deck.check_tokens = options.auth == Auth::strict;
  deck.rules = &live_rules;
  deck.cache_bytes = (share - share / 8) / std::max<std::size_t>(1, readers.size());
  for (cassettes::CassetteReader& reader : readers) {
    deck.scopes = scope_names.at(deck.number).get();
    deck.usage = usage.empty() ? nullptr : usage.at(deck.number).get();
    made->decks.push_back(std::make_unique<Deck>(std::move(reader), deck));
    ++deck.number;
  }
  return made;
}

ThreadState& ReplayHandler::Impl::state() {
  for (const auto& [handler, state] : states_of_this_thread) {
    if (handler == number) return *state;
  }
  const std::lock_guard lock(mutex);
  if (!is_first_state_free) states.push_back(make_state(clones()));
  is_first_state_free = false;
  states_of_this_thread.emplace_back(number, states.back().get());
  return *states.back();
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
    Visit visit(exchange->request(), impl_->base_paths, thread.policy(), thread.memo, impl_->scopes.outside());
    impl_->chain.handle(exchange, std::move(visit), thread);
  } catch (const std::exception& error) {
    // A cassette that is found damaged must not be served on as if it were whole, nor is a server that cannot answer.
    if (impl_->options.on_failure) impl_->options.on_failure(std::string("replay stops: ") + error.what());
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
    sum.builtin += count(Outcome::builtin);
    sum.fallback += count(Outcome::fallback);
    sum.misses += count(Outcome::miss);
    sum.out_of_order += state->out_of_order.load(std::memory_order_relaxed);
    sum.out_of_scope += state->out_of_scope.load(std::memory_order_relaxed);
    sum.builtin_errors += state->builtin_errors.load(std::memory_order_relaxed);
  }
  const auto misses = impl_->notices.find(Notice::Kind::miss);
  sum.distinct_misses = misses == impl_->notices.end() ? 0 : misses->second.size();
  return sum;
}

std::uint64_t ReplayHandler::unverified() const { return impl_->unverified; }

std::vector<std::string> ReplayHandler::scopes_that_ran() const {
  std::set<std::string> shown;
  for (const std::string& name : impl_->scopes.ran()) {
    std::string stored = name;
    for (const auto& names : impl_->scope_names) {
      if (names && stored == name) stored = names->stored(name);
    }
    shown.insert(api::shown_scope(stored));
  }
  return {shown.begin(), shown.end()};
}

Scopes& ReplayHandler::scopes() { return impl_->scopes; }
OverlayStore& ReplayHandler::overlays() { return impl_->overlay_store; }

void ReplayHandler::each_use(const std::function<bool(const SequenceUse&)>& visit) const {
  bool goes_on = true;
  for (std::size_t i = 0; goes_on && i < impl_->usage.size(); ++i) {
    const cassettes::CassetteReader reader = impl_->locked_clone(i);
    std::set<std::string, std::less<>> ran;
    if (const auto& names = impl_->scope_names[i]) {
      for (const std::string& name : impl_->scopes.ran()) ran.insert(names->stored(name));
    }
    replay::each_use(reader, *impl_->usage[i], impl_->options.cassettes[i], [&](SequenceUse use) {
      use.scope_ran = use.scope.empty() || ran.contains(use.scope);
      goes_on = visit(use);
      return goes_on;
    });
  }
}

LiveRules& ReplayHandler::rules() { return impl_->live_rules; }

const std::vector<std::string>& ReplayHandler::cassettes() const { return impl_->options.cassettes; }

std::optional<cassettes::FullInteraction> ReplayHandler::recording(std::size_t cassette, std::string_view id) const {
  if (cassette >= impl_->options.cassettes.size()) return std::nullopt;
  return impl_->locked_clone(cassette).get(id);
}

void ReplayHandler::each_answer(
    std::size_t cassette, const SequenceName& sequence,
    const std::function<void(const cassettes::ListedInteraction&, bool played)>& visit) const {
  if (cassette >= impl_->usage.size()) return;
  replay::each_answer(impl_->locked_clone(cassette), *impl_->usage[cassette], sequence, visit);
}

const std::vector<std::string>& ReplayHandler::warnings() const { return impl_->warnings; }

}  // namespace tapedeck::replay
