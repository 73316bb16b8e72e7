#include "replay/recorded/account_filter.h"

namespace tapedeck::replay {

bool AccountFilter::keeps(const cassettes::SequenceInfo& sequence, const RecordedAccounts& accounts) const {
  const bool has_account = sequence.account != 0, has_session = sequence.lane != 0;
  switch (kind) {
    case Kind::all:
      return true;
    case Kind::no_session:
      return !has_account && !has_session;
    case Kind::foreign:
      return !has_account && has_session;
    case Kind::no_account:
      return !has_account && (has_session || sequence.succeeded);
    case Kind::named:
      return has_account;
    case Kind::tied:
      break;
  }
  const auto place = accounts.place(sequence.take, sequence.account);
  return has_account && place && place->family < tied.size() && tied[place->family] == place->account;
}

std::string AccountFilter::text() const {
  if (kind == Kind::all) return {};
  std::string text = std::to_string(static_cast<int>(kind));
  for (const std::size_t account : tied) text.append(",").append(std::to_string(account));
  return text;
}

}  // namespace tapedeck::replay
