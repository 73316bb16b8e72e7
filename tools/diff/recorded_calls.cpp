#include "tools/diff/recorded_calls.h"

#include <algorithm>
#include <set>

namespace tapedeck::tools {

namespace {

/// The number of responses from which noise is learned; more would hardly show any other.
constexpr std::size_t most_lessons = 64;

}  // namespace

std::string without_label(const std::string& key_text) {
  const api::RequestKey key = api::RequestKey::parse(key_text);
  if (!key.is_call || key.api.label.empty()) return key_text;
  return key_text.substr(key.api.label.size() + 1);
}

/// Returns the interaction's key according to the cassette's policy, with pseudonyms in place of private values.
std::string RecordedCalls::key_of(const cassettes::ListedInteraction& line) const {
  const auto full = private_values_ == nullptr ? std::nullopt : cassette_.get(line.id);
  if (!full) return line.key;
  scrubbers::InteractionRecord record = full->record;
  if (!private_values_->apply(record)) return line.key;
  return scrubbers::key_of(record, api::KeyPolicy(cassette_.info().key_policy), {}, scrubbers::holes_of(record)).text;
}

RecordedCalls::RecordedCalls(const cassettes::CassetteReader& cassette, scrubbers::PrivateProfile* private_values)
    : cassette_(cassette), private_values_(private_values) {
  const bool one_label = cassette.info().labels.size() < 2;
  cassette.list([&](const cassettes::ListedInteraction& line) {
    if (line.effect == api::Effect::write) writes_[{line.take, line.scope}].insert(line.ord);
    const std::string key = key_of(line);
    const Name name{line.scope, one_label ? without_label(key) : key};
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
    const auto found = writes_.find({take, name.first});
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

}  // namespace tapedeck::tools
