#pragma once
// One interaction on its way through the Scrubber: found by name, learned, searched, replaced. The steps are apart
// because they hold different locks.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/rules/named_finds.h"
#include "scrubbers/rules/plain_bodies.h"
#include "scrubbers/scrubbed_interaction.h"
#include "scrubbers/search/learned_secrets.h"
#include "scrubbers/seen_request.h"
#include "scrubbers/text/replace.h"

namespace tapedeck::scrubbers {

/// Makes the values known, without giving them numbers. The ids are in the order of the finds, of which those go that
/// are plain and unknown. `accepted`: the device took what the request says.
std::vector<LearnedSecrets::Id> note_finds(const CompiledRules& rules, NamedFinds& named, LearnedSecrets& learned,
                                           bool accepted);

class ScrubPass {
 public:
  /// `record` has its answer decoded, and the rows that it has already; the answer's texts are moved out until
  /// replace_into(), and the request's are in `seen`, with what was found in them by name. `rules` must outlive the
  /// pass.
  ScrubPass(const CompiledRules& rules, InteractionRecord& record, SeenRequest&& seen);

  /// Step 1, without a lock: finds by name in the answer.
  void find_in_answer(const InteractionRecord& record, PlainBodies& plain);
  /// Step 1b, with a shared lock: leaves alone what a pattern takes for an unknown id, but holds a known one.
  void drop_known_in_patterns(const SecretSearch& search);
  /// Step 2, alone: makes the values known, without giving them numbers.
  void learn(LearnedSecrets& learned);
  /// Step 3, alone: the interaction's session and account, and the numbers of all values found by name.
  void number(LearnedSecrets& learned, std::uint32_t session_so_far);
  [[nodiscard]] std::uint32_t session() const { return session_; }
  [[nodiscard]] std::uint32_t account() const { return account_; }
  /// Step 3b: of a fresh interaction whose bodies will not be kept: they are not searched.
  void forget_bodies();
  /// Step 4, with a shared lock: finds known values everywhere. Throws std::runtime_error.
  void search(const LearnedSecrets& learned);
  /// Step 4b: a body in which nothing was found need not be looked through by name again.
  void remember_plain(const InteractionRecord& record, PlainBodies& plain) const;
  [[nodiscard]] std::string_view text(Part part) const { return text_of(texts_, part); }
  /// More was found, by name or by searching, than is kept.
  [[nodiscard]] bool too_many() const { return named_.too_many || too_many_hits_; }
  /// Whether anything in that part is replaced, now or before.
  [[nodiscard]] bool replaces(Part part) const;
  /// Step 5, alone: puts the placeholders into `record`. Returns how many rows are new.
  std::size_t replace_into(InteractionRecord& record, LearnedSecrets& learned);

 private:
  [[nodiscard]] BodyInPlace answered_body(const InteractionRecord& record) const;
  [[nodiscard]] bool is_accepted(const InteractionRecord& record) const;
  /// Takes out what was replaced before.
  void drop_replaced();
  void add_outside_of(const std::vector<Redaction>& rows, const NamedFind& find, std::vector<NamedFind>& finds) const;
  void search_part(const LearnedSecrets& learned, Part part, std::size_t begin, std::size_t end);
  void search_header_lines(const LearnedSecrets& learned, Part part);
  [[nodiscard]] const NamedFind* session_find(bool in_answer, LearnedSecrets::Id& id) const;
  void give_session_values(LearnedSecrets& learned);

  const CompiledRules& rules_;
  CallContext context_;
  Texts texts_;
  std::array<std::vector<Redaction>, 6> fixed_;
  std::string scope_;  ///< of the interaction, with run_
  std::uint32_t run_;
  std::uint32_t scope_number_ = 0;  ///< LearnedSecrets::scope_of
  NamedFinds named_;
  std::vector<LearnedSecrets::Id> ids_;  ///< of named_.finds, in the same order
  std::array<std::vector<Spot>, 6> spots_;
  bool too_many_hits_ = false;
  std::uint32_t session_ = 0;
  std::uint32_t account_ = 0;
  bool accepted_ = false;
  std::size_t body_hash_ = 0;
  bool body_is_known_ = false;  ///< for a plain one
  bool body_opens_ = true;      ///< the answer's: see may_open_something()
  bool has_finds_in_body_ = false;
};

}  // namespace tapedeck::scrubbers
