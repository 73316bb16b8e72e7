#include "cassettes/read/superseded.h"

#include <algorithm>
#include <utility>

#include "api/envelope.h"

namespace tapedeck::cassettes {
namespace {

/// Ranks responses of different takes: a success is above any refusal, and the end of a session is lowest.
int rank_of(const ListedInteraction& line) {
  const bool succeeded = line.error_code ? *line.error_code == 0 : line.status < 400;
  if (succeeded) return 2;
  return api::ends_session(line.error_code) ? 0 : 1;
}

}  // namespace

Superseded::Superseded(const CassetteReader& cassette) {
  if (cassette.info().takes.size() < 2) return;
  continuing_ = cassette.info().continuing();
  note_scopes(cassette);
  note_calls(cassette);
  keep_takes_with_writes(cassette);
}

bool Superseded::operator()(const ListedInteraction& line) const {
  if (!line.scope.empty()) return is_older(newest_of_scope_, line.scope, line.take);
  return !takes_with_writes_.contains(line.take) && is_older(newest_of_key_, line.key, line.take);
}

Superseded::Lane Superseded::played_with(const ListedInteraction& line) const {
  const Lane own{line.take, line.lane};
  const auto lanes = line.scope.empty() ? continued_lanes_.find(line.key) : continued_lanes_.end();
  if (lanes == continued_lanes_.end() || !continuing_.contains(line.take)) return own;
  const std::uint32_t take = newest_of_key_.find(line.key)->second;
  if (line.take <= take) return own;
  return {take, lanes->second.contains(line.lane) ? line.lane : *lanes->second.begin()};
}

bool Superseded::is_older(const Newest& newest, const std::string& name, std::uint32_t take) {
  const auto found = newest.find(name);
  return found != newest.end() && take < found->second;
}

void Superseded::note_scopes(const CassetteReader& cassette) {
  cassette.scopes([&](const ScopeTake& part) {
    if (part.complete) newest_of_scope_[part.name] = std::max(newest_of_scope_[part.name], part.take);
    return true;
  });
}

void Superseded::note_calls(const CassetteReader& cassette) {
  struct Ranked {
    int rank = -1;
    std::uint32_t take = 0;
    std::set<std::uint32_t> lanes;
    bool is_continued = false;
  };
  std::string key;
  Ranked best, current;
  const auto end_take = [&] {
    const bool continues = best.rank > 0 && continuing_.contains(current.take);
    if (continues) {
      best.rank = std::max(best.rank, current.rank);
      best.is_continued = !best.lanes.empty();
    } else if (current.rank >= best.rank) {
      best = std::move(current);
    }
    current = {};
  };
  const auto end_key = [&] {
    end_take();
    if (best.take != 0) newest_of_key_[key] = best.take;
    if (best.is_continued) continued_lanes_[key] = std::move(best.lanes);
    best = {};
  };
  cassette.list([&](const ListedInteraction& line) {
    if (!line.scope.empty() || line.completeness != api::Completeness::complete) return true;
    if (line.key != key) end_key();
    if (line.take != current.take) end_take();
    key = line.key;
    current.rank = std::max(current.rank, rank_of(line));
    current.take = line.take;
    if (line.is_played && !continuing_.empty()) current.lanes.insert(line.lane);
    return true;
  });
  end_key();
}

void Superseded::keep_takes_with_writes(const CassetteReader& cassette) {
  cassette.list([&](const ListedInteraction& line) {
    const bool writes =
        line.scope.empty() && line.effect == api::Effect::write && line.completeness == api::Completeness::complete;
    if (writes && !is_older(newest_of_key_, line.key, line.take)) takes_with_writes_.insert(line.take);
    return true;
  });
}

}  // namespace tapedeck::cassettes
