#pragma once
// Scrubs one interaction: finds secrets by name, learns their values, searches for known values, and replaces them. The
// steps are separate because they need different locks of the caller.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "scrubbers/analyzed_request.h"
#include "scrubbers/redaction/replace.h"
#include "scrubbers/redaction/scrubbed_interaction.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/rules/named_finds.h"
#include "scrubbers/search/learned_secrets.h"

namespace tapedeck::scrubbers {

/// The facts that a response proves about the secrets in its request, and the test for secrets that only repeat those
/// of the request.
struct Confirmation {
  bool login = false;     ///< a login succeeded
  bool password = false;  ///< the password of a login is right, but the login needs more
  bool session = false;   ///< a call that needs a session succeeded, and the request names only one
  bool write = false;     ///< such a call also changes the device
  bool header = false;    ///< a request outside of the API succeeded, which had credentials in its headers
  /// Returns true for a value that the request also contains. Empty if the request contains no secrets.
  std::function<bool(std::string_view)> is_echo = {};
};

/// Makes the found values known and sets the IDs of the finds, but does not number them. Removes finds of plain,
/// unknown values.
void note_finds(const CompiledRules& rules, NamedFinds& named, LearnedSecrets& learned,
                const Confirmation& confirmation);

class ScrubPass {
 public:
  /// Requires that `record` is decoded; it may have redactions. It must not change before replace_into(), and `rules`
  /// must outlive the pass. `seen` has the finds by name in its request.
  ScrubPass(const CompiledRules& rules, const InteractionRecord& record, AnalyzedRequest&& seen);

  /// Step 1, without a lock: finds secrets by name in the response.
  void find_in_answer(const InteractionRecord& record);
  /// Step 1a for a new interaction, without a lock: finds values that may be tickets. `call` is that of the request.
  void find_tickets(const InteractionRecord& record, const api::Call* call);
  /// Step 1b, with a shared lock: removes pattern finds that contain a known value, because search() will find that
  /// value.
  void drop_known_in_patterns(const SecretSearch& search);
  /// Step 1b: returns true if the request (with `in_answer`, the response) contains an unknown value that is only
  /// learned under a condition. For the request, the device must accept the value; for the response, the request must
  /// not contain it.
  [[nodiscard]] bool holds_unconfirmed(const LearnedSecrets& learned, bool in_answer) const;
  /// Step 1c for the request, without a lock: reads from the response whether the device has accepted the value.
  void read_confirmation(const InteractionRecord& record) { confirmation_ = confirmation_of(record); }
  /// Step 1c for the response: finds out which of its values the request contains as well, plain or encoded.
  void find_echoes();
  /// Step 2, with an exclusive lock: makes the found values known, but does not number them.
  void learn(LearnedSecrets& learned);
  /// Step 3, with an exclusive lock: sets the session and the account, and numbers all values that were found by name.
  void number(LearnedSecrets& learned, std::uint32_t session_so_far);
  [[nodiscard]] std::uint32_t session() const { return session_; }
  [[nodiscard]] std::uint32_t account() const { return account_; }
  /// Step 3b, for a new interaction that is stored without bodies: removes the bodies, so that they are not searched.
  void forget_bodies(InteractionRecord& record);
  /// Step 4, with a shared lock: searches for known values everywhere. Throws std::runtime_error.
  void search(const LearnedSecrets& learned);
  [[nodiscard]] std::string_view text(Part part) const { return texts_[part]; }
  /// Returns true if the number of finds exceeded the limit.
  [[nodiscard]] bool too_many() const { return named_.too_many || too_many_hits_; }
  /// Returns true if this part has a redaction, old or new.
  [[nodiscard]] bool replaces(Part part) const;
  /// Returns false if the body would no longer be JSON, XML, or a form of the same structure.
  [[nodiscard]] bool keeps_structure(Part part, bool is_form) const;
  /// Step 5, with an exclusive lock: inserts placeholders into `record`. Returns the number of new redactions.
  std::size_t replace_into(InteractionRecord& record, LearnedSecrets& learned);
  /// Step 5b for an interaction that was scrubbed with `learned`, with an exclusive lock: gives values to the sessions
  /// whose IDs they became later. Returns the number of changed redactions.
  std::size_t give_late_ids(InteractionRecord& record, LearnedSecrets& learned) const;

 private:
  [[nodiscard]] Confirmation confirmation_of(const InteractionRecord& record) const;
  [[nodiscard]] bool names_one_session() const;
  [[nodiscard]] bool is_permitted_without_session(const InteractionRecord& record) const;
  /// Removes finds that are already replaced.
  void drop_replaced();
  void add_outside_of(const std::vector<Redaction>& rows, const NamedFind& find, std::vector<NamedFind>& finds) const;
  void search_part(const LearnedSecrets& learned, Part part, std::size_t begin, std::size_t end,
                   bool may_be_usual = false);
  void search_header_lines(const LearnedSecrets& learned, Part part);
  [[nodiscard]] const NamedFind* session_find(bool in_answer) const;
  [[nodiscard]] std::optional<int> precedence_of(const NamedFind& find) const;
  void give_session_values(LearnedSecrets& learned);

  const CompiledRules& rules_;
  CallContext context_;
  Texts texts_;
  ByPart<Redaction> fixed_;
  std::string scope_;  ///< the interaction's scope; run_ is its run
  std::uint32_t run_;
  bool is_form_;                    ///< the request's body is a form
  std::uint32_t scope_number_ = 0;  ///< result of LearnedSecrets::scope_of()
  NamedFinds named_;
  ByPart<Spot> spots_;
  bool too_many_hits_ = false;
  std::uint32_t session_ = 0;
  std::uint32_t account_ = 0;
  Confirmation confirmation_;
  std::unordered_set<std::string> echoes_;  ///< values of the response that the request contains
  std::vector<std::string> offered_tickets_, carried_tickets_;
};

}  // namespace tapedeck::scrubbers
