#pragma once
// One interaction on its way through the private profile: found by name and by shape, searched, replaced.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/private/private_names.h"
#include "scrubbers/private/private_ordinals.h"
#include "scrubbers/private/private_search.h"
#include "scrubbers/private/private_values.h"
#include "scrubbers/private/pseudonyms.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/rules/named_finds.h"
#include "scrubbers/scrubbed_interaction.h"
#include "scrubbers/text/replace.h"

namespace tapedeck::scrubbers {

class PrivatePass {
 public:
  struct Tools {
    const CompiledRules& rules;
    const std::vector<PrivateRule>& kinds;  ///< by the rules' numbers
    const PrivateValues& values;
    Pseudonyms& pseudonyms;
    const PrivateSearch& search;
    PrivateOrdinals& ordinals;
  };
  /// The record's texts are moved out until replace_into(). What is given must outlive the pass.
  PrivatePass(Tools tools, InteractionRecord& record);

  /// By name and by shape.
  void find();
  /// Known texts everywhere. Throws std::runtime_error.
  void search();
  /// True when anything was replaced.
  bool replace_into(InteractionRecord& record);

 private:
  void find_named(const InteractionRecord& record);
  void find_shapes(Part part);
  void find_shapes(Part part, std::size_t begin, std::size_t end);
  void find_shapes_decoded(Part part, std::size_t begin, std::size_t end, Codec codec);
  void search(Part part, std::size_t begin, std::size_t end);
  void add(Part part, std::size_t begin, std::size_t end, std::string made, std::string encoding, std::string rule,
           bool named);
  /// Lines of headers without those that say what the client and the server are, other parts whole.
  template <class Visit>
  void each_piece(Part part, Visit&& visit) const;
  [[nodiscard]] bool is_text(Part part) const;

  Tools tools_;
  const InteractionRecord& record_;
  Texts texts_;
  std::array<std::vector<Redaction>, 6> fixed_;
  std::array<std::vector<Spot>, 6> spots_;
  std::vector<std::string> made_;  ///< by Spot::value: what stands there afterwards, not yet encoded
};

/// A text that is no interaction's.
[[nodiscard]] std::string replaced_in_text(std::string_view text, Pseudonyms& pseudonyms, const PrivateSearch& search);

}  // namespace tapedeck::scrubbers
