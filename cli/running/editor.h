#pragma once
// A text in the user's editor.

#include <string>
#include <string_view>

namespace tapedeck::cli {

/// A file of mode 0600 in a folder of its own under $TMPDIR; both go with the object, unless the text is to be kept.
class EditedFile {
 public:
  /// Throws std::runtime_error.
  explicit EditedFile(std::string_view text);
  ~EditedFile();
  EditedFile(const EditedFile&) = delete;
  EditedFile& operator=(const EditedFile&) = delete;

  /// Runs $VISUAL, else $EDITOR, else vi, on the file, through the shell, and waits; meanwhile Ctrl-C is the editor's.
  /// Returns the text that is then in the file. Throws std::runtime_error when the editor fails.
  [[nodiscard]] std::string run_editor();
  /// The file stays; its path.
  [[nodiscard]] std::string keep();

 private:
  std::string folder_, path_;
  bool kept_ = false;
};

}  // namespace tapedeck::cli
