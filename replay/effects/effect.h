#pragma once
// Defines effects: changes that a write makes to later responses, as declared in `[[effect]]` blocks.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/json_patch.h"
#include "replay/language/call_pattern.h"
#include "replay/language/member_reader.h"
#include "replay/language/template_text.h"

namespace tapedeck::replay {

/// A name and its required value. An empty value means any value.
using NamedTexts = std::vector<std::pair<std::string, std::optional<TemplateText>>>;

/// One change to the responses to one kind of read.
struct EffectChange {
  struct Insert {
    api::JsonPointer at;
    std::optional<std::size_t> like;  ///< index of the element from which the new one copies its other members
    std::string set;                  ///< JSON of an object, with marks in its strings
  };
  struct Remove {
    api::JsonPointer from;
    NamedTexts where;  ///< members of the elements
  };

  CallPattern in;
  NamedTexts where;  ///< parameters that the read must have
  bool merges_params = false;
  std::optional<std::string> merge;        ///< JSON with marks in its strings
  std::optional<TemplateText> merge_text;  ///< used in place of `merge` if there are marks outside of strings
  std::optional<Insert> insert;
  std::optional<Remove> remove;
  std::optional<api::JsonPointer> count;
};

struct Effect {
  std::string file;  ///< "state.toml", "overlays" for a posted effect, or "built in"
  std::size_t line = 0;
  std::string fingerprint;             ///< equal for equal effects
  std::vector<OverlayMember> members;  ///< the members in their declared form
  std::uint64_t id = 0;                ///< like Overlay::id
  bool is_builtin = false;

  CallPattern on;
  std::vector<ParamCondition> params;
  std::optional<std::string> scope;
  std::optional<TemplateText> reply;  ///< `data` of the reply
  std::vector<EffectChange> changes;
  bool ends_sessions = false;
};
using EffectPtr = std::shared_ptr<const Effect>;

/// Returns the effects of the get/set pairs in the catalog. After such an effect, `get` returns the parameters of the
/// last `set`.
[[nodiscard]] const std::vector<EffectPtr>& builtin_effects();
/// Returns the built-in effects as the text of an overlay file.
[[nodiscard]] std::string builtin_effects_toml();
/// Returns the built-in effect of an API that has one, as an `[[effect]]` block.
[[nodiscard]] std::string builtin_effect_toml(const std::string& api_rest);

}  // namespace tapedeck::replay
