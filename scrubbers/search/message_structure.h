#pragma once
// Decides whether a place in a message belongs to its structure: to the name of an API, a method, a parameter, a
// member, or a header, to a fixed path, or to the marks between values. Secrets are never replaced there, because a
// request of a client must not change what other calls mean.

#include "scrubbers/redaction/redaction.h"
#include "scrubbers/search/learned_secrets.h"
#include "scrubbers/search/secret_search.h"

namespace tapedeck::scrubbers {

/// What decides how a text is read, besides its first characters.
struct TextKind {
  Part part = Part::response_body;
  bool is_call = false;       ///< is a part of a call's request
  bool is_form = false;       ///< is a form
  bool may_be_usual = false;  ///< is a name, or a value that names a format, and so structure if messages contain it
};

/// Returns the test for a search in `text`, which must outlive it, as must `learned`. A name that LearnedSecrets does
/// not know as one is a value, so it may be replaced as a whole. IDs are replaced even there: programs make these, so
/// they are no part of the structure by chance. So are distinctive values of the user, of which nothing may be left.
/// The test looks at no more than a few hundred bytes around a place, so
/// that many places take linear time.
[[nodiscard]] IsStructure structure_test(const LearnedSecrets& learned, std::string_view text, TextKind kind);

}  // namespace tapedeck::scrubbers
