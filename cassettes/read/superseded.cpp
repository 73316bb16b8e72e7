#include "cassettes/read/superseded.h"

#include <algorithm>

#include "api/envelope.h"
#include "cassettes/read/request_identity.h"

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
  api::IdentityHeaders identity = api::IdentityHeaders::known();
  for (const std::string& name : learned_identity_headers({&cassette})) identity.add(name);
  headers_ = RequestIdentities(cassette, identity).by_interaction(cassette);
  note_accounts(cassette);
  note_scopes(cassette);
  note_calls(cassette);
  keep_takes_with_writes(cassette);
}

bool Superseded::operator()(const ListedInteraction& line) const {
  if (!line.scope.empty()) return is_older(newest_of_scope_, line.scope, line.take);
  return !takes_with_writes_.contains(line.take) && is_older(newest_of_key_, name_of(line), line.take);
}

bool Superseded::is_older(const Newest& newest, const std::string& name, std::uint32_t take) {
  const auto found = newest.find(name);
  return found != newest.end() && take < found->second;
}

void Superseded::note_accounts(const CassetteReader& cassette) {
  std::map<std::uint32_t, std::uint64_t> keys;
  for (const Take& take : cassette.info().takes) {
    if (take.account_key) keys[take.number] = *take.account_key;
  }
  std::map<std::uint64_t, std::set<std::uint8_t>> values;
  const std::vector<RecordedAccount> accounts = cassette.accounts();
  for (const RecordedAccount& one : accounts) {
    if (one.check && keys.contains(one.take)) values[keys[one.take]].insert(*one.check);
  }
  for (const RecordedAccount& one : accounts) {
    const bool is_one_of_several = one.check && keys.contains(one.take) && values[keys[one.take]].size() > 1;
    if (is_one_of_several) accounts_[{one.take, one.number}] = std::to_string(*one.check);
  }
}

std::string Superseded::name_of(const ListedInteraction& line) const {
  const auto account = accounts_.find({line.take, line.account});
  const auto headers = headers_.find(line.interaction);
  std::string name = line.key;
  if (headers != headers_.end()) name += "\n" + headers->second;
  if (account != accounts_.end()) name += "\n" + account->second;
  return name;
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
  std::map<std::string, std::map<std::uint32_t, int>> ranks;  // of one key, by account and take
  const auto end_key = [&] {
    for (const auto& [name, takes] : ranks) {
      Ranked best;
      for (const auto& [take, rank] : takes) {
        if (rank >= best.rank) best = {rank, take};
      }
      newest_of_key_[name] = best.take;
    }
    ranks.clear();
  };
  cassette.list([&](const ListedInteraction& line) {
    if (!line.scope.empty() || line.completeness != api::Completeness::complete) return true;
    if (line.key != key) end_key();
    key = line.key;
    int& rank = ranks[name_of(line)].try_emplace(line.take, -1).first->second;
    rank = std::max(rank, rank_of(line));
    return true;
  });
  end_key();
}

void Superseded::keep_takes_with_writes(const CassetteReader& cassette) {
  cassette.list([&](const ListedInteraction& line) {
    const bool writes =
        line.scope.empty() && line.effect == api::Effect::write && line.completeness == api::Completeness::complete;
    if (writes && !is_older(newest_of_key_, name_of(line), line.take)) takes_with_writes_.insert(line.take);
    return true;
  });
}

}  // namespace tapedeck::cassettes
