#include "tools/diff/cassette_diff.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/request_identity.h"
#include "scrubbers/private/private_profile.h"
#include "tools/content/stopped.h"
#include "tools/diff/json_diff.h"
#include "tools/diff/noise.h"
#include "tools/diff/response_diff.h"

namespace tapedeck::tools {
namespace {

/// The place of one response to a call.
struct RecordedPlace {
  std::int64_t interaction = 0;
  std::uint32_t take = 0, lane = 0, ord = 0;
  bool complete = true;
};

class RecordedCalls {
 public:
  struct Name {
    std::string scope;
    std::string key;      ///< without the first label of its API if the cassette has only one label
    std::string headers;  ///< result of RequestIdentities::of(), without the shapes of secrets
    auto operator<=>(const Name&) const = default;
  };
  struct Call {
    std::string key;  ///< the stored key
    std::vector<RecordedPlace> places;
  };

  /// `identity` are the headers that tell requests apart. With a profile, replaces private values by pseudonyms. The
  /// profile must outlive the object.
  RecordedCalls(const cassettes::CassetteReader& cassette, const api::IdentityHeaders& identity,
                scrubbers::PrivateProfile* private_values = nullptr);

  [[nodiscard]] const std::map<Name, Call>& calls() const { return calls_; }
  /// Returns the places in the newest take that has the call, by lane. Incomplete responses are included only if there
  /// are no complete ones.
  [[nodiscard]] std::vector<std::vector<RecordedPlace>> newest(const Call& call) const;
  [[nodiscard]] scrubbers::InteractionRecord load(const RecordedPlace& place) const;
  /// Adds the noise in the recordings of the call to `model`.
  void teach(const Name& name, const Call& call, NoiseModel& model) const;

 private:
  [[nodiscard]] std::string key_of(const cassettes::ListedInteraction& line) const;

  const cassettes::CassetteReader& cassette_;
  scrubbers::PrivateProfile* private_values_;
  std::map<Name, Call> calls_;
  /// places of writes by take and scope
  std::map<std::pair<std::uint32_t, std::string>, std::set<std::uint32_t>> writes_;
};

/// The number of responses from which noise is learned; more would hardly show any other.
constexpr std::size_t most_lessons = 64;

/// Returns the key without the first label of its API's name.
std::string without_label(const std::string& key_text) {
  const api::RequestKey key = api::RequestKey::parse(key_text);
  if (!key.is_call || key.api.label.empty()) return key_text;
  return key_text.substr(key.api.label.size() + 1);
}

/// Removes the shapes of secrets, which have different check values in each cassette.
std::string without_shapes(std::string text) {
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at), shape = text.rfind('/', end);
    if (end != std::string::npos && shape != std::string::npos && shape > at) text.erase(shape, end - shape);
  }
  return text;
}

/// Returns the interaction's key according to the cassette's policy, with pseudonyms in place of private values.
std::string RecordedCalls::key_of(const cassettes::ListedInteraction& line) const {
  const auto full = private_values_ == nullptr ? std::nullopt : cassette_.get(line.id);
  if (!full) return line.key;
  scrubbers::InteractionRecord record = full->record;
  if (!private_values_->apply(record)) return line.key;
  return scrubbers::key_of(record, api::KeyPolicy(cassette_.info().key_policy), {}, scrubbers::holes_of(record)).text;
}

RecordedCalls::RecordedCalls(const cassettes::CassetteReader& cassette, const api::IdentityHeaders& identity,
                             scrubbers::PrivateProfile* private_values)
    : cassette_(cassette), private_values_(private_values) {
  auto headers = cassettes::RequestIdentities(cassette, identity).by_interaction(cassette);
  const bool one_label = cassette.info().labels.size() < 2;
  cassette.list([&](const cassettes::ListedInteraction& line) {
    if (line.effect == api::Effect::write) writes_[{line.take, line.scope}].insert(line.ord);
    const std::string key = key_of(line);
    const auto found_headers = headers.find(line.interaction);
    const Name name{line.scope, one_label ? without_label(key) : key,
                    found_headers == headers.end() ? std::string() : without_shapes(found_headers->second)};
    Call& found = calls_[name];
    found.key = key;
    RecordedPlace place;
    place.interaction = line.interaction;
    place.take = line.take;
    place.lane = line.lane;
    place.ord = line.ord;
    place.complete = line.completeness == api::Completeness::complete;
    found.places.push_back(place);
    return true;
  });
}

scrubbers::InteractionRecord RecordedCalls::load(const RecordedPlace& place) const {
  scrubbers::InteractionRecord record = cassette_.at(place.interaction).record;
  if (private_values_ != nullptr) static_cast<void>(private_values_->apply(record));
  return record;
}

std::vector<std::vector<RecordedPlace>> RecordedCalls::newest(const Call& call) const {
  const bool any_complete =
      std::any_of(call.places.begin(), call.places.end(), [](const RecordedPlace& place) { return place.complete; });
  const auto counts = [&](const RecordedPlace& place) { return place.complete == any_complete; };
  std::uint32_t newest = 0;
  for (const RecordedPlace& place : call.places) {
    if (counts(place)) newest = std::max(newest, place.take);
  }
  std::map<std::uint32_t, std::vector<RecordedPlace>> by_lane;
  for (const RecordedPlace& place : call.places) {
    if (counts(place) && place.take == newest) by_lane[place.lane].push_back(place);
  }
  std::vector<std::vector<RecordedPlace>> lanes;
  for (auto& [lane, places] : by_lane) lanes.push_back(std::move(places));
  return lanes;
}

void RecordedCalls::teach(const Name& name, const Call& call, NoiseModel& model) const {
  std::vector<RecordedPlace> places = call.places;
  std::erase_if(places, [](const RecordedPlace& place) { return !place.complete; });
  std::sort(places.begin(), places.end(), [](const RecordedPlace& a, const RecordedPlace& b) {
    return std::pair(a.take, a.ord) < std::pair(b.take, b.ord);
  });
  const auto of_take = [&](std::uint32_t take) {
    const auto found = writes_.find({take, name.scope});
    return found == writes_.end() ? nullptr : &found->second;
  };
  const auto written_between = [&](const RecordedPlace& a, const RecordedPlace& b) {
    const auto* writes = of_take(a.take);
    if (!writes) return false;
    const auto next = writes->upper_bound(a.ord);
    return next != writes->end() && *next < b.ord;
  };
  std::vector<scrubbers::InteractionRecord> run;
  for (std::size_t i = 0; i < places.size() && i < most_lessons; ++i) {
    const bool begins_take = i == 0 || places[i].take != places[i - 1].take;
    if (begins_take || written_between(places[i - 1], places[i])) {
      model.learn(run);
      run.clear();
    }
    run.push_back(load(places[i]));
  }
  model.learn(run);
}

using Lanes = std::vector<std::vector<RecordedPlace>>;
using Pair = std::pair<const RecordedPlace*, const RecordedPlace*>;

/// Returns which responses are compared. The last one of a shorter list is compared with all further ones of the other.
std::vector<Pair> pairs_of(const Lanes& a, const Lanes& b) {
  std::vector<Pair> pairs;
  for (std::size_t lane = 0; lane < std::max(a.size(), b.size()); ++lane) {
    const auto& left = a[std::min(lane, a.size() - 1)];
    const auto& right = b[std::min(lane, b.size() - 1)];
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
      pairs.emplace_back(&left[std::min(i, left.size() - 1)], &right[std::min(i, right.size() - 1)]);
    }
  }
  return pairs;
}

void merge_into(std::vector<Change>& changes, Change change) {
  const auto same = std::find_if(changes.begin(), changes.end(), [&](const Change& one) {
    return one.kind == change.kind && one.path == change.path && one.noise.has_value() == change.noise.has_value();
  });
  if (same == changes.end()) {
    changes.push_back(std::move(change));
  } else {
    ++same->times;
  }
}

bool is_ignored(const Change& change, const std::vector<std::string>& ignored) {
  return std::any_of(ignored.begin(), ignored.end(), [&](const std::string& path) {
    return is_below(change.path, path) || is_below(general_path(change.path), path);
  });
}

/// Returns the headers that tell the requests of both cassettes apart.
api::IdentityHeaders identity_of(const cassettes::CassetteReader& a, const cassettes::CassetteReader& b) {
  api::IdentityHeaders headers = api::IdentityHeaders::known();
  for (const std::string& name : cassettes::learned_identity_headers({&a, &b})) headers.add(name);
  return headers;
}

/// Returns "x-tenant: a, x-zone: b".
std::string shown_headers(const RecordedCalls::Name& name) {
  std::string text;
  for (std::string_view rest = name.headers; !rest.empty();) {
    std::string_view value = base::take_until(rest, '\n');
    const std::string_view header = base::take_until(value, ':');
    text.append(text.empty() ? "" : ", ").append(header).append(": ").append(value);
  }
  return text;
}

class Differ {
 public:
  Differ(const cassettes::CassetteReader& a, const cassettes::CassetteReader& b, const DiffOptions& options)
      : identity_(identity_of(a, b)),
        a_(a, identity_, options.private_values.get()),
        b_(b, identity_, options.private_values.get()),
        options_(options) {}

  DiffResult run() {
    find_other_ids();
    find_other_versions();
    std::map<RecordedCalls::Name, int> names;
    for (const auto& [name, call] : a_.calls()) names[name] |= 1;
    for (const auto& [name, call] : b_.calls()) names[name] |= 2;
    std::uint64_t done = 0;
    for (const auto& [name, where] : names) {
      compare(name, where);
      if (options_.progress && !options_.progress(++done, names.size())) throw Stopped();
    }
    return std::move(result_);
  }

 private:
  using Names = std::vector<RecordedCalls::Name>;
  static Names only_in(const RecordedCalls& one, const RecordedCalls& other) {
    Names names;
    for (const auto& [name, call] : one.calls()) {
      if (!other.calls().contains(name)) names.push_back(name);
    }
    return names;
  }

  /// Finds calls that differ only in IDs that the device generates, so that they are not reported as removed and added.
  /// Repeats this, because the responses of a call found in this way may contain other generated IDs.
  void find_other_ids() {
    Names fresh = only_in(b_, a_);
    if (fresh.empty() || only_in(a_, b_).empty()) return;
    Names pending;
    for (const auto& [name, call] : a_.calls()) {
      if (b_.calls().contains(name)) pending.push_back(name);
    }
    while (!pending.empty()) {
      for (const RecordedCalls::Name& name : std::exchange(pending, {})) learn_ids(name);
      std::erase_if(fresh, [&](const RecordedCalls::Name& name) {
        std::set<std::string> used;
        const RecordedCalls::Name here{name.scope, ids_.renamed(name.key, used), name.headers};
        const bool is_moved = !used.empty() && a_.calls().contains(here) && !b_.calls().contains(here) &&
                              moved_.try_emplace(here, name).second;
        if (!is_moved) return false;
        ids_.confirm(used);
        arrived_.insert(name);
        pending.push_back(here);
        return true;
      });
    }
  }
  void learn_ids(const RecordedCalls::Name& name) {
    const auto moved = moved_.find(name);
    const Lanes a = a_.newest(a_.calls().at(name));
    const Lanes b = b_.newest(b_.calls().at(moved == moved_.end() ? name : moved->second));
    for (const auto& [old_place, new_place] : pairs_of(a, b)) {
      if (!old_place->complete || !new_place->complete) continue;
      for (const Change& change : response_changes(a_.load(*old_place), b_.load(*new_place))) ids_.learn(change);
    }
  }

  /// Finds calls that are missing in the second cassette but occur there with another version of their API.
  void find_other_versions() {
    std::map<RecordedCalls::Name, std::vector<RecordedCalls::Name>> fresh;
    for (const auto& [name, call] : b_.calls()) {
      if (!a_.calls().contains(name) && !arrived_.contains(name))
        fresh[{name.scope, without_version(call.key), name.headers}].push_back(name);
    }
    for (const auto& [name, call] : a_.calls()) {
      if (b_.calls().contains(name) || moved_.contains(name)) continue;
      const auto found = fresh.find({name.scope, without_version(call.key), name.headers});
      if (found == fresh.end() || found->second.empty()) continue;
      moved_[name] = found->second.front();
      arrived_.insert(found->second.front());
      found->second.erase(found->second.begin());
    }
  }
  static std::string without_version(const std::string& key_text) {
    const api::RequestKey key = api::RequestKey::parse(key_text);
    if (!key.is_call) return key_text;
    const std::size_t begin = key_text.find('/'), end = key_text.find('/', begin + 1);
    return key.api.rest + key_text.substr(std::min(end, key_text.size()));
  }

  void compare(const RecordedCalls::Name& name, int where) {
    if (where == 3) return compare_both(name, name);
    if (const auto other = moved_.find(name); other != moved_.end()) return compare_both(name, other->second);
    if (arrived_.contains(name)) return;
    const auto& calls = where == 1 ? a_.calls() : b_.calls();
    const auto kind = where == 1 ? CallDiff::Kind::removed : CallDiff::Kind::added;
    result_.add({kind, name.scope, shown_headers(name), calls.at(name).key, {}});
  }

  void compare_both(const RecordedCalls::Name& name, const RecordedCalls::Name& other) {
    const RecordedCalls::Call& left = a_.calls().at(name);
    const RecordedCalls::Call& right = b_.calls().at(other);
    const Lanes a = a_.newest(left), b = b_.newest(right);
    CallDiff diff{CallDiff::Kind::changed, name.scope, shown_headers(name), left.key, {}};
    const std::string old_version = api::RequestKey::parse(left.key).version;
    const std::string new_version = api::RequestKey::parse(right.key).version;
    if (old_version != new_version) {
      diff.changes.push_back({Change::Kind::version, "", old_version, new_version, {}, 1});
    }
    std::optional<NoiseModel> noise;
    for (const auto& [old_place, new_place] : pairs_of(a, b)) {
      const scrubbers::InteractionRecord before = a_.load(*old_place);
      const scrubbers::InteractionRecord after = b_.load(*new_place);
      if (is_same(before, after)) continue;
      if (!noise) {
        noise.emplace(api::RequestKey::parse(left.key));
        a_.teach(name, left, *noise);
        b_.teach(other, right, *noise);
      }
      for (Change& change : response_changes(before, after)) {
        if (is_ignored(change, options_.ignored)) continue;
        change.noise = noise->of(change, before, after);
        if (!change.noise && ids_.contains(change)) change.noise = Noise::random;
        merge_into(diff.changes, std::move(change));
      }
    }
    result_.add(std::move(diff));
  }

  const api::IdentityHeaders identity_;
  RecordedCalls a_, b_;
  const DiffOptions& options_;
  std::map<RecordedCalls::Name, RecordedCalls::Name> moved_;
  std::set<RecordedCalls::Name> arrived_;
  GeneratedIds ids_;
  DiffResult result_;
};

}  // namespace

bool CallDiff::differs() const {
  return kind != Kind::changed ||
         std::any_of(changes.begin(), changes.end(), [](const Change& change) { return !change.noise; });
}

void DiffResult::add(CallDiff call) {
  if (call.kind == CallDiff::Kind::changed && call.changes.empty()) {
    ++equal;
    return;
  }
  for (const Change& change : call.changes) {
    if (change.noise) ++noise[static_cast<std::size_t>(*change.noise)];
  }
  calls.push_back(std::move(call));
}

bool DiffResult::differs() const {
  return std::any_of(calls.begin(), calls.end(), [](const CallDiff& call) { return call.differs(); });
}

DiffResult diff(const cassettes::CassetteReader& a, const cassettes::CassetteReader& b, const DiffOptions& options) {
  return Differ(a, b, options).run();
}

}  // namespace tapedeck::tools
