#include "tools/verify/plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "api/conditions.h"
#include "api/envelope.h"
#include "api/scope_name.h"
#include "tools/content/marks.h"

namespace tapedeck::tools {
namespace {

using cassettes::ListedInteraction;

class Planner {
 public:
  Planner(const cassettes::CassetteReader& cassette, bool has_account)
      : cassette_(cassette), has_account_(has_account) {}

  VerifyPlan run() {
    cassette_.list([this](const ListedInteraction& line) {
      if (line.effect != api::Effect::write) return true;
      std::uint32_t& first = first_writes_.try_emplace({line.take, line.scope, line.lane}, line.ord).first->second;
      first = std::min(first, line.ord);
      return true;
    });
    std::vector<ListedInteraction> call;
    cassette_.list([&](const ListedInteraction& line) {
      if (!call.empty() && (call.front().scope != line.scope || call.front().key != line.key)) {
        calls_.push_back(read_before_writes(call));
        call.clear();
      }
      call.push_back(line);
      return true;
    });
    if (!call.empty()) calls_.push_back(read_before_writes(call));
    for (const Call& one : calls_) settle(one);
    return std::move(plan_);
  }

 private:
  using Lane = std::tuple<std::uint32_t, std::string, std::uint32_t>;  ///< take, scope, lane
  struct Candidate {
    std::uint32_t ord = 0;
    std::string id;
  };
  struct Call {
    std::vector<Candidate> candidates;  ///< of one take, in recorded order
    NotAsked reason = NotAsked::changes;
  };

  [[nodiscard]] std::optional<NotAsked> reason_against(const ListedInteraction& line) const {
    if (line.effect != api::Effect::read) return NotAsked::changes;
    if (line.completeness != api::Completeness::complete || line.ended_by_client) return NotAsked::incomplete;
    if (api::ends_session(line.error_code)) return NotAsked::of_session;
    if (line.session != 0 && !has_account_) return NotAsked::no_account;
    if (api::has_redacted_place(line.scope)) return NotAsked::hidden;
    const auto write = first_writes_.find({line.take, line.scope, line.lane});
    if (write != first_writes_.end() && write->second < line.ord) return NotAsked::after_write;
    return std::nullopt;
  }

  /// Returns the candidates of the newest take that has any, or else the reason why the newest take has none.
  [[nodiscard]] Call read_before_writes(const std::vector<ListedInteraction>& lines) const {
    Call call;
    std::uint32_t take = 0, newest = 0;
    for (const ListedInteraction& line : lines) {
      if (const auto reason = reason_against(line)) {
        if (line.take >= newest) call.reason = *reason;
        newest = std::max(newest, line.take);
        continue;
      }
      if (line.take < take) continue;
      if (line.take > take) call.candidates.clear();
      take = line.take;
      call.candidates.push_back({line.ord, line.id});
    }
    std::sort(call.candidates.begin(), call.candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.ord < b.ord; });
    return call;
  }

  void settle(const Call& call) {
    NotAsked reason = call.reason;
    for (const Candidate& candidate : call.candidates) {
      const auto full = cassette_.get(candidate.id);
      if (!full) continue;
      if (!api::conditions_of(full->record.request.headers).empty()) {
        reason = NotAsked::conditional;
      } else if (!can_be_asked_again(full->record)) {
        reason = NotAsked::hidden;
      } else {
        plan_.questions.push_back(candidate.id);
        for (const Candidate& one : call.candidates) plan_.compared.insert(one.id);
        return;
      }
    }
    ++plan_.not_asked[static_cast<std::size_t>(reason)];
  }

  const cassettes::CassetteReader& cassette_;
  const bool has_account_;
  std::map<Lane, std::uint32_t> first_writes_;
  std::vector<Call> calls_;
  VerifyPlan plan_;
};

}  // namespace

std::string_view to_string(NotAsked reason) {
  static constexpr std::array<std::string_view, reasons_not_to_ask> words{
      "changes the device or logs in", "after a write",   "incomplete", "in a session that had ended", "conditional",
      "with private parameters",       "needs an account"};
  return words[static_cast<std::size_t>(reason)];
}

VerifyPlan plan_verify(const cassettes::CassetteReader& cassette, bool has_account) {
  return Planner(cassette, has_account).run();
}

namespace {

using scrubbers::Part;
using scrubbers::Redaction;

bool is_of_request(const Redaction& row) {
  return row.part == Part::request_target || row.part == Part::request_headers || row.part == Part::request_body;
}

std::optional<std::string_view> value_for(const Redaction& row, const SessionValues& values) {
  const std::string_view value = session_value(row);
  if (value.empty()) return std::nullopt;
  return value == "session.id" ? values.id : value == "session.token" ? values.csrf_token : values.device_id;
}

}  // namespace

bool can_be_asked_again(const scrubbers::InteractionRecord& record) {
  return std::all_of(record.redactions.begin(), record.redactions.end(),
                     [](const Redaction& row) { return !is_of_request(row) || value_for(row, {}).has_value(); });
}

http::Request request_again(const scrubbers::InteractionRecord& record, const SessionValues& values) {
  const auto put = [&](std::string& out, const Redaction& row, std::string_view) {
    out += scrubbers::encode(value_for(row, values).value_or(""), row.encoding);
  };
  http::Request request = with_places(record, put).request;
  request.headers.erase("Origin");
  request.headers.erase("Referer");
  return request;
}

}  // namespace tapedeck::tools
