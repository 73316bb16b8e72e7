#pragma once
// Scrubs one interaction: finds by name, learns, searches, and replaces. The steps are separate because they hold
// different locks.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/rules/named_finds.h"
#include "scrubbers/scrubbed_interaction.h"
#include "scrubbers/search/learned_secrets.h"
#include "scrubbers/seen_request.h"
#include "scrubbers/text/replace.h"

namespace tapedeck::scrubbers {

/// What a response says of the secrets in its request, and which secrets of its own it only repeats.
struct Vouching {
  bool login = false;     ///< a login succeeded
  bool password = false;  ///< the password of a login is right, but something more is needed
  bool session = false;   ///< a call that needs a session succeeded, and the request names only one
  bool write = false;     ///< such a call, and it changes the device
  /// Returns true for a value that stands in the request as well. None: no value does.
  std::function<bool(std::string_view)> is_echo = {};
};

/// Makes the values known, without giving them numbers. The ids are in the order of the finds, of which those go that
/// are plain and unknown.
std::vector<LearnedSecrets::Id> note_finds(const CompiledRules& rules, NamedFinds& named, LearnedSecrets& learned,
                                           const Vouching& vouching);

class ScrubPass {
 public:
  /// `record` is decoded and may have redactions. It must not change until replace_into(), and `rules` must outlive the
  /// pass. `seen` is what was found by name in its request.
  ScrubPass(const CompiledRules& rules, const InteractionRecord& record, SeenRequest&& seen);

  /// Step 1, without a lock: finds by name in the answer.
  void find_in_answer(const InteractionRecord& record);
  /// Step 1b, with a shared lock: leaves alone what a pattern takes for an unknown id, but holds a known one.
  void drop_known_in_patterns(const SecretSearch& search);
  /// Step 1b as well: whether the request holds a value that it matters for whether the device accepts it, or the
  /// response one for which nothing vouches yet.
  [[nodiscard]] bool holds_unconfirmed(const LearnedSecrets& learned, bool in_answer) const;
  /// Step 1c, without a lock, if the request does: reads from the response whether the device accepted it.
  void read_vouching(const InteractionRecord& record) { vouching_ = vouching_of(record); }
  /// Step 1c as well, if the response does: decodes the request, which may hold the same value.
  void decode_request();
  /// Step 2, alone: makes the values known, without giving them numbers.
  void learn(LearnedSecrets& learned);
  /// Step 3, alone: the interaction's session and account, and the numbers of all values found by name.
  void number(LearnedSecrets& learned, std::uint32_t session_so_far);
  [[nodiscard]] std::uint32_t session() const { return session_; }
  [[nodiscard]] std::uint32_t account() const { return account_; }
  /// Step 3b, for a new interaction whose bodies are not kept: they are not searched.
  void forget_bodies(InteractionRecord& record);
  /// Step 4, with a shared lock: finds known values everywhere. Throws std::runtime_error.
  void search(const LearnedSecrets& learned);
  [[nodiscard]] std::string_view text(Part part) const { return texts_[part]; }
  /// Returns true if more was found than is kept.
  [[nodiscard]] bool too_many() const { return named_.too_many || too_many_hits_; }
  /// Returns true if anything in this part is replaced, now or before.
  [[nodiscard]] bool replaces(Part part) const;
  /// Step 5, exclusively: puts the placeholders into `record`. Returns the number of new redactions.
  std::size_t replace_into(InteractionRecord& record, LearnedSecrets& learned);

 private:
  [[nodiscard]] Vouching vouching_of(const InteractionRecord& record) const;
  [[nodiscard]] bool names_one_session() const;
  /// Returns true if a value of the response stands in the request's texts, as it is or encoded.
  [[nodiscard]] bool is_echo(std::string_view value) const;
  /// Removes finds that were replaced before.
  void drop_replaced();
  void add_outside_of(const std::vector<Redaction>& rows, const NamedFind& find, std::vector<NamedFind>& finds) const;
  void search_part(const LearnedSecrets& learned, Part part, std::size_t begin, std::size_t end);
  void search_header_lines(const LearnedSecrets& learned, Part part);
  [[nodiscard]] const NamedFind* session_find(bool in_answer, LearnedSecrets::Id& id) const;
  void give_session_values(LearnedSecrets& learned);

  const CompiledRules& rules_;
  CallContext context_;
  Texts texts_;
  ByPart<Redaction> fixed_;
  std::string scope_;  ///< of the interaction, with run_
  std::uint32_t run_;
  std::uint32_t scope_number_ = 0;  ///< LearnedSecrets::scope_of
  NamedFinds named_;
  std::vector<LearnedSecrets::Id> ids_;  ///< of named_.finds, in the same order
  ByPart<Spot> spots_;
  bool too_many_hits_ = false;
  std::uint32_t session_ = 0;
  std::uint32_t account_ = 0;
  Vouching vouching_;
  std::vector<std::string> request_views_;  ///< the request's texts, decoded
};

}  // namespace tapedeck::scrubbers
