#pragma once
// The chain's stage of hand-written answers (docs/mocking.md): what overlays answer, and what they change of answers
// from further down.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "replay/chain/chain.h"
#include "replay/overlays/overlay_owner.h"
#include "replay/overlays/overlay_store.h"
#include "replay/overlays/request_overlays.h"
#include "replay/stages/miss_report.h"

namespace tapedeck::replay {

/// Makes the thread see the overlays and effects that are in force when the request comes; its parts see the same.
void look_at_store(const RequestContext& context, const OverlayStore& store, ThreadState& thread);
/// Whose counts: the account's; the id's, where it never logged in; of the scope's run, in a scope.
[[nodiscard]] std::string overlay_owner(const RequestContext& context);
/// Who asks, as `account = "…"` means it: of a login the account that it names. Empty for nobody.
[[nodiscard]] std::string overlay_account(const RequestContext& context);

struct OverlayRun {
  std::uint64_t seed = 1;
  std::chrono::microseconds hang_time{std::chrono::minutes(5)};
  std::size_t longest_body = 64u << 20;  ///< of a response that overlays make, the parts of a compound together
  /// The chain has an end that compounds go to as a whole: overlays are asked of their parts before, and what they
  /// answer is put into the whole answer.
  bool has_end = false;
  const scrubbers::PrivateProfile* private_values = nullptr;  ///< as in RuleSubject
};

/// Thread-safe, as the store is. A request sees the overlays that were in force when it came, and so do its parts.
class OverlayResponder : public Responder {
 public:
  using Warn = std::function<void(const std::string& line)>;
  /// `missed` is told of each patch that cannot be applied; `warn` once of each overlay whose answer to a specified
  /// operation is not what the specification says.
  OverlayResponder(OverlayStore& store, OverlayRun run, SeenMiss missed, Warn warn)
      : store_(store), run_(run), missed_(std::move(missed)), warn_(std::move(warn)) {}
  [[nodiscard]] StageResult answer(RequestContext& context, ThreadState& thread) override;
  void change(RequestContext& context, ThreadState& thread, Reply& reply) override;

 private:
  /// What became of a patch.
  enum class Change { made, passed_over, failed };

  [[nodiscard]] std::optional<Reply> answer_whole(RequestContext& context, ThreadState& thread,
                                                  std::size_t longest_body);
  void ask_parts(RequestContext& context, ThreadState& thread);
  void put_parts_in(RequestContext& context, ThreadState& thread, Reply& reply);
  /// Null when no overlay has anything to do with the request.
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

/// --delay: what no overlay has delayed waits so long. Stands before all other links.
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
