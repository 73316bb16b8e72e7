#pragma once
// Applies the private profile to one interaction: finds values by name and shape, searches for known ones, and replaces
// them.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/private/private_names.h"
#include "scrubbers/private/private_search.h"
#include "scrubbers/private/private_values.h"
#include "scrubbers/private/pseudonyms.h"
#include "scrubbers/redaction/replace.h"
#include "scrubbers/redaction/scrubbed_interaction.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/rules/named_finds.h"

namespace tapedeck::scrubbers {

class PrivatePass {
 public:
  struct Tools {
    const CompiledRules& rules;
    const std::vector<PrivateRule>& kinds;  ///< index: the number of the rule
    const PrivateValues& values;
    Pseudonyms& pseudonyms;
    const PrivateSearch& search;
    std::map<std::string, std::uint32_t>& ordinals;  ///< number of each pseudonym; equal pseudonyms share one
  };
  /// The record must not change until replace_into(). The arguments must outlive the pass.
  PrivatePass(Tools tools, const InteractionRecord& record);

  /// Finds values by name and by shape.
  void find();
  /// Finds known texts everywhere.
  void search();
  /// Returns true if anything was replaced.
  bool replace_into(InteractionRecord& record);

 private:
  void find_named(const InteractionRecord& record);
  void find_shapes(Part part);
  /// Finds shapes in a piece of a part, or in its decoded form.
  void find_shapes(Part part, std::size_t begin, std::size_t end, std::optional<Codec> codec);
  void search(Part part, std::size_t begin, std::size_t end);
  void add(Part part, std::size_t begin, std::size_t end, std::string made, Encoding encoding, std::string rule,
           bool named);
  /// Calls `visit` for each part. Leaves out headers that describe the client or the server.
  template <class Visit>
  void each_piece(Part part, Visit&& visit) const;
  [[nodiscard]] bool is_text(Part part) const;

  Tools tools_;
  const InteractionRecord& record_;
  Texts texts_;
  ByPart<Redaction> fixed_;
  ByPart<Spot> spots_;
  std::vector<std::string> made_;  ///< index: Spot::value; the new text, not yet encoded
};

/// Replaces private data in a text that does not belong to an interaction.
[[nodiscard]] std::string replaced_in_text(std::string_view text, Pseudonyms& pseudonyms, const PrivateSearch& search);

}  // namespace tapedeck::scrubbers
