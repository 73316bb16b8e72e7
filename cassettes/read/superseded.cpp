#include "cassettes/read/superseded.h"

#include <algorithm>

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
  note_scopes(cassette);
  note_calls(cassette);
  keep_takes_with_writes(cassette);
}

bool Superseded::operator()(const ListedInteraction& line) const {
  if (!line.scope.empty()) return is_older(newest_of_scope_, line.scope, line.take);
  return !takes_with_writes_.contains(line.take) && is_older(newest_of_key_, line.key, line.take);
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
  };
  std::string key;
  Ranked best, current;
  const auto end_take = [&] {
    if (current.rank >= best.rank) best = current;
    current = {};
  };
  const auto end_key = [&] {
    end_take();
    if (best.take != 0) newest_of_key_[key] = best.take;
    best = {};
  };
  cassette.list([&](const ListedInteraction& line) {
    if (!line.scope.empty() || line.completeness != api::Completeness::complete) return true;
    if (line.key != key) end_key();
    if (line.take != current.take) end_take();
    key = line.key;
    current.rank = std::max(current.rank, rank_of(line));
    current.take = line.take;
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
