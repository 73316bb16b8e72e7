#pragma once
// Implements the stage for hand-written responses (docs/mocking.md). Overlays respond, or change responses of later
// stages.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "replay/chain/chain.h"
#include "replay/overlays/overlay_owner.h"
#include "replay/overlays/overlay_store.h"
#include "replay/stages/miss_report.h"

namespace tapedeck::replay {

/// Sets the thread's overlays and effects to those that are active when the request arrives. Parts of a compound use
/// the same ones.
void look_at_store(const RequestContext& context, const OverlayStore& store, ThreadState& thread);
/// Returns the owner of the request's counters. In a scope this is its run; otherwise it is the account, or the session
/// ID if it never logged in.
[[nodiscard]] std::string overlay_owner(const RequestContext& context);
/// Returns the account for `account = "…"`. For a login, this is the account that the request names. Empty without an
/// account.
[[nodiscard]] std::string overlay_account(const RequestContext& context);

struct OverlayRun {
  std::uint64_t seed = 1;
  std::chrono::microseconds hang_time{std::chrono::minutes(5)};
  /// maximum size of a response that overlays make, for all parts of a compound together
  std::size_t longest_body = 64u << 20;
  /// True if compounds may go to the chain's end as a whole. Overlays then handle their parts first, and their
  /// responses are inserted into the response to the whole.
  bool has_end = false;
  const scrubbers::PrivateProfile* private_values = nullptr;  ///< see RuleSubject
};

/// Thread-safe, like the store. A request and its parts use the overlays that were active when the request arrived.
class OverlayResponder : public Responder {
 public:
  using Warn = std::function<void(const std::string& line)>;
  /// `missed` is called for each patch that cannot be applied. `warn` is called once for each overlay whose response to
  /// a specified operation violates the specification.
  OverlayResponder(OverlayStore& store, OverlayRun run, SeenMiss missed, Warn warn)
      : store_(store), run_(run), missed_(std::move(missed)), warn_(std::move(warn)) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;
  void change(RequestContext& context, ThreadState& thread, Reply& reply) override;

 private:
  /// The result of applying a patch.
  enum class Change { made, passed_over, failed };

  [[nodiscard]] std::optional<Reply> answer_whole(RequestContext& context, ThreadState& thread,
                                                  std::size_t longest_body);
  void ask_parts(RequestContext& context, ThreadState& thread);
  void put_parts_in(RequestContext& context, ThreadState& thread, Reply& reply);
  /// Returns the overlays that concern the request, or null if there are none.
  [[nodiscard]] std::shared_ptr<RequestOverlays> turn_of(RequestContext& context, ThreadState& thread) const;
  [[nodiscard]] RuleSubject subject_of(const ParsedRequest& asked) const;
  [[nodiscard]] RuleSubject subject_of_part(const api::Call* part) const;
  [[nodiscard]] Reply played(const RequestContext& context, const RequestOverlays& turn) const;
  void adjust(const RequestContext& context, const ThreadState& thread, const RequestOverlays& turn, Reply& reply);
  [[nodiscard]] Change change_body(const RequestContext& context, const RequestOverlays& turn, const OverlayPlay& play,
                                   Reply& reply);
  [[nodiscard]] Reply missed(const RequestContext& context, const Overlay& overlay, const api::PatchError& error) const;
  void set_fault(const Overlay& overlay, Reply& reply) const;
  void note(const RequestOverlays& turn, const Reply& reply);
  void compare_with_spec(const RequestContext& context, const RequestOverlays& turn, const Reply& reply) const;

  OverlayStore& store_;
  const OverlayRun run_;
  const SeenMiss missed_;
  const Warn warn_;
};

/// Delays every response that no overlay has delayed (--delay). Comes before all other stages.
class DelayEverything : public Responder {
 public:
  DelayEverything(Delay delay, OverlayCounts& counts, std::uint64_t seed)
      : delay_(delay), counts_(counts), seed_(seed) {}
  [[nodiscard]] StageResult answer(RequestContext&, ThreadState&) override { return pass_on(); }
  void change(RequestContext& context, ThreadState& thread, Reply& reply) override;

 private:
  const Delay delay_;
  OverlayCounts& counts_;
  const std::uint64_t seed_;
};

}  // namespace tapedeck::replay
