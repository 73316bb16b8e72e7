#pragma once
// Reads a rule from a block of an overlay file or a posted object.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/overlays/overlay.h"
#include "replay/rules/member_reader.h"

namespace tapedeck::replay {

/// Reads blocks of one file. Errors are OverlayErrors with the line of the member.
class OverlayReader : private MemberReader {
 public:
  /// `folder` contains the files of `file = "…"`. Without it, `file` is refused.
  OverlayReader(std::string file, std::optional<std::filesystem::path> folder);

  /// Returns an overlay, with an empty name if there is none.
  [[nodiscard]] Overlay read(const OverlayBlock& block);
  /// Returns the files that were named so far.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  using MemberReader::scope_name;

 private:
  /// What a member of an overlay is for.
  enum class Role { condition, body, head, sending, state };
  struct Known {
    std::string_view name;
    Role role;
    void (*read)(OverlayReader& reader, const OverlayMember& member);

    /// Returns true if the responses in `answers` may have it.
    [[nodiscard]] bool is_of_answers() const {
      return role != Role::condition && role != Role::state && name != "answers";
    }
  };
  static const std::vector<Known>& known();
  /// Returns null for an unknown name.
  static const Known* known(std::string_view name);
  /// Returns the known names, or only those of the responses in `answers`.
  static std::string names(bool of_answers);

  void read_name(const OverlayMember& member);
  void read_path(const OverlayMember& member);
  void read_chance(const OverlayMember& member);
  void read_error(const OverlayMember& member);
  void read_file(const OverlayMember& member);
  void read_patch(const OverlayMember& member);
  void read_headers(const OverlayMember& member);
  void read_delay(const OverlayMember& member);
  void read_fault(const OverlayMember& member);
  void read_cut(const OverlayMember& member);
  void read_at_end(const OverlayMember& member);
  void check_list(const OverlayMember& member) const;

  /// Reads one element of `answers`. Returns the current overlay with this response.
  [[nodiscard]] Overlay read_answer(const Overlay& base, const OverlayMember& list, std::string_view element);
  void set_body(TemplateText body, std::string_view content_type);
  void set_json(std::string body);

  void check(const OverlayBlock& block) const;
  void check_answers(const OverlayBlock& block) const;
  void check_fault(const OverlayBlock& block) const;

  std::optional<std::filesystem::path> folder_;
  std::vector<std::string> files_;
  Overlay overlay_;  ///< the overlay that is being read
};

}  // namespace tapedeck::replay
