#pragma once
// From a block of an overlay file, or a posted object, to the rule that it is.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/overlays/overlay.h"
#include "replay/overlays/overlay_text.h"

namespace tapedeck::replay {

/// Reads blocks of one file. Each mistake is an OverlayError with the line of its member.
class OverlayReader {
 public:
  /// `folder` is where the files of `file = "…"` stand; nothing: `file` is refused.
  OverlayReader(std::string file, std::optional<std::filesystem::path> folder);

  /// Its name is empty when none is given.
  [[nodiscard]] Overlay read(const OverlayBlock& block);
  /// What `file = "…"` named so far.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  /// The name of the scope that `member` says, decoded.
  [[nodiscard]] std::string scope_name(const OverlayMember& member) const;

 private:
  using Member = void (OverlayReader::*)(const OverlayMember&);
  struct Known {
    std::string_view name;
    Member read;
  };
  static const std::vector<Known>& known();

  void read_name(const OverlayMember& member);
  void read_call(const OverlayMember& member);
  void read_path(const OverlayMember& member);
  void read_params(const OverlayMember& member);
  void read_exact(const OverlayMember& member);
  void read_account(const OverlayMember& member);
  void read_scope(const OverlayMember& member);
  void read_state(const OverlayMember& member);
  void read_after(const OverlayMember& member);
  void read_times(const OverlayMember& member);
  void read_skip(const OverlayMember& member);
  void read_chance(const OverlayMember& member);
  void read_data(const OverlayMember& member);
  void read_error(const OverlayMember& member);
  void read_json(const OverlayMember& member);
  void read_file(const OverlayMember& member);
  void read_patch(const OverlayMember& member);
  void read_merge(const OverlayMember& member);
  void read_status(const OverlayMember& member);
  void read_headers(const OverlayMember& member);
  void read_delay(const OverlayMember& member);
  void read_fault(const OverlayMember& member);
  void read_cut(const OverlayMember& member);
  void read_then(const OverlayMember& member);

  [[noreturn]] void fail(const OverlayMember& member, std::string_view message) const;
  [[nodiscard]] std::string text(const OverlayMember& member) const;
  [[nodiscard]] std::uint64_t number(const OverlayMember& member, std::uint64_t least, std::uint64_t most) const;
  [[nodiscard]] bool truth(const OverlayMember& member) const;
  [[nodiscard]] CallPattern pattern(const OverlayMember& member) const;
  /// The member as it stands, or the JSON text that it holds.
  [[nodiscard]] TemplateText json_text(const OverlayMember& member) const;
  void set_body(TemplateText body, std::string_view content_type);

  void check(const OverlayBlock& block) const;
  void check_answers(const OverlayBlock& block) const;
  void check_fault(const OverlayBlock& block) const;

  std::string file_;
  std::optional<std::filesystem::path> folder_;
  std::vector<std::string> files_;
  Overlay overlay_;  ///< the one that is being read
};

}  // namespace tapedeck::replay
