#include "replay/recorded/account_search.h"

#include <algorithm>
#include <map>
#include <set>

namespace tapedeck::replay {
namespace {

using Kind = AccountFilter::Kind;

constexpr std::string_view by_order = "account=order", by_chance = "account=unknown";

bool is_there(const LookupResult& found) { return found.how != LookupResult::How::nothing; }

/// Returns true if there are recordings, and all of them only report the end of a session.
bool only_ends_sessions(const LookupResult& found) {
  return !found.sequences.empty() && std::all_of(found.sequences.begin(), found.sequences.end(),
                                                 [](const FoundSequence& one) { return one.only_ends_sessions(); });
}

class Search {
 public:
  Search(const Client& client, SessionTable& sessions, SequenceLookup& lookup,
         const std::shared_ptr<const RecordedScope>& scope, const FindWith& find)
      : client_(client), sessions_(sessions), lookup_(lookup), scope_(scope), find_(find) {}

  [[nodiscard]] AccountFind run() {
    if (client_.kind == Client::Kind::account) return of_account();
    const bool has_session = client_.kind == Client::Kind::foreign;
    LookupResult& own = find_({has_session ? Kind::foreign : Kind::no_session});
    if (is_there(own) && (scope_ || !has_session || !only_ends_sessions(own))) return {&own};
    if (auto found = of_any_account()) return *found;
    return {&find_({has_session ? Kind::no_session : Kind::foreign})};
  }

 private:
  [[nodiscard]] AccountFind of_account() {
    const auto tie = tie_of(client_, sessions_, lookup_, scope_);
    const AccountFilter own{Kind::tied, tie ? tie->accounts : RecordedAccounts::Tied()};
    LookupResult* found = &find_(own);
    if (is_there(*found)) {
      if (!tie || !is_by_order(*tie, *found)) return {found};
      const bool differs = lookup_.accounts_differ(find_({Kind::named}));
      return {&find_(own), by_order, differs};
    }
    LookupResult& all = find_({Kind::all});
    const bool exists = is_there(all), differs = exists && lookup_.accounts_differ(all);
    LookupResult& others = find_({Kind::no_account});
    if (!is_there(others)) return {&others, {}, false, exists};
    return {&others, differs ? by_chance : std::string_view(), differs};
  }

  /// Returns true if the account of the recordings was chosen by order.
  [[nodiscard]] bool is_by_order(const AccountTie& tie, const LookupResult& found) const {
    return std::any_of(found.sequences.begin(), found.sequences.end(), [&](const FoundSequence& one) {
      const auto place = lookup_.accounts(scope_).place(one.info.take, one.info.account);
      return one.info.take == found.take && place && tie.by_order[place->family];
    });
  }

  /// Chooses the first account that has recorded the call in the take's family.
  [[nodiscard]] std::optional<AccountFind> of_any_account() {
    LookupResult& all = find_({Kind::named});
    if (!is_there(all)) return std::nullopt;
    const std::set<RecordedAccounts::Place> places = lookup_.accounts_of(all);
    if (places.empty()) return AccountFind{&all};
    const bool differs = places.size() > 1 && lookup_.accounts_differ(all);
    AccountFilter first{Kind::tied, RecordedAccounts::Tied(lookup_.accounts(scope_).families().size(), SIZE_MAX)};
    first.tied[places.begin()->family] = places.begin()->account;
    return AccountFind{&find_(first), differs ? by_chance : std::string_view(), differs};
  }

  const Client& client_;
  SessionTable& sessions_;
  SequenceLookup& lookup_;
  const std::shared_ptr<const RecordedScope>& scope_;
  const FindWith& find_;
};

}  // namespace

Client Client::of(const Session& session) {
  if (session.kind() == Session::Kind::anonymous) return {};
  const bool has_account = session.login_account != 0;
  return {has_account ? Kind::account : Kind::foreign, session.login_account, session.login_index};
}

Client Client::of(const Account& account, bool has_handshake) {
  return {account.number != 0 ? Kind::account : Kind::foreign, account.number, account.next(has_handshake)};
}

AccountFind find_for_account(const Client& client, SessionTable& sessions, SequenceLookup& lookup,
                             const std::shared_ptr<const RecordedScope>& scope, const FindWith& find) {
  return Search(client, sessions, lookup, scope, find).run();
}

std::shared_ptr<const AccountTie> tie_of(const Client& client, SessionTable& sessions, SequenceLookup& lookup,
                                         const std::shared_ptr<const RecordedScope>& scope) {
  if (client.kind != Client::Kind::account) return nullptr;
  return sessions.ties().tie({lookup.cassette_id(), scope != nullptr}, lookup.accounts(scope), client.account);
}

RecordedSessions::Place place_of(const Client& client, SessionTable& sessions, SequenceLookup& lookup,
                                 const LookupResult& found, std::uint32_t take) {
  const RecordedAccounts& accounts = lookup.accounts(found.scope);
  std::optional<std::uint32_t> account;
  if (const auto tie = tie_of(client, sessions, lookup, found.scope)) {
    account = accounts.number(take, tie->accounts);
  } else if (!found.tied.empty()) {
    account = accounts.number(take, found.tied);
  } else if (client.kind == Client::Kind::no_session) {
    return {};
  }
  return lookup.sessions(take, found.scope).place(account.value_or(0), client.index, found.scope != nullptr);
}

}  // namespace tapedeck::replay
