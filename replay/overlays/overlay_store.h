#pragma once
// Stores all overlays of a server: those from files, which are read again when they change, and posted ones
// (docs/mocking.md).

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/file_stamp.h"
#include "replay/overlays/overlay_file.h"
#include "replay/overlays/overlay_set.h"

namespace tapedeck::replay {

/// Thread-safe. Posted sets are above the files, with the newest set on top.
class OverlayStore {
 public:
  static constexpr std::size_t most_sets = 1'000;

  /// `builtin` are effects that declared ones may replace. `simulated` is the text of an overlay file, whose effects
  /// come before `builtin`. Throws like overlay_file_text() and read_overlay_file().
  explicit OverlayStore(std::vector<std::string> files = {}, std::vector<EffectPtr> builtin = {},
                        std::string_view simulated = {});

  /// Returns a number that grows with every change. A result of current() is valid until then.
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  [[nodiscard]] std::shared_ptr<const OverlaySet> current() const;
  [[nodiscard]] OverlayCounts& counts() { return counts_; }
  /// Returns the overlays of the simulated device, which are in no list. Null without one.
  [[nodiscard]] const std::shared_ptr<const OverlaySet>& simulated() const { return simulated_; }

  /// Reads the files again if they may have changed. Call it several times a second. Returns a line for the log if the
  /// overlays changed. If a file is invalid, the previous overlays stay active, and the error is returned once.
  [[nodiscard]] std::optional<std::string> look_again();

  /// Puts the set on top, or replaces the set with the same name. Returns the name. Throws OverlayError, or
  /// std::invalid_argument if there are too many sets.
  std::string post(PostedOverlays posted);
  /// Returns the set as it was posted, or nothing if there is none with this name.
  [[nodiscard]] std::optional<std::string> posted(const std::string& set) const;
  /// Returns false if there is no such set.
  bool remove(const std::string& set);
  /// Enables or disables all overlays with this name. Returns false if there is none.
  bool enable(const std::string& name, bool is_enabled);

  struct Listed {
    OverlayPtr overlay;
    std::string set;  ///< empty for an overlay from a file
    bool is_enabled = true;
    std::uint64_t plays = 0;
  };
  /// Returns all overlays, sorted from the top.
  [[nodiscard]] std::vector<Listed> list() const;

  struct ListedEffect {
    EffectPtr effect;
    std::string set;  ///< empty for an effect from a file and for a built-in one
  };
  /// Returns the declared effects from the top, and then the built-in ones.
  [[nodiscard]] std::vector<ListedEffect> list_effects() const;

 private:
  struct Set {
    std::string name;
    std::string text;  ///< as it was posted
    std::vector<OverlayPtr> overlays;
    std::vector<EffectPtr> effects;
  };
  struct Read {
    std::vector<OverlayPtr> overlays;
    std::vector<EffectPtr> effects;
    std::vector<std::string> watched;
    std::string digest;  ///< digest of all files
  };
  /// `texts` are the contents of the files.
  [[nodiscard]] Read read(const std::vector<std::string>& texts) const;
  [[nodiscard]] std::vector<std::string> texts() const;
  void take(Read found);
  using Stamps = std::vector<std::optional<base::FileStamp>>;
  [[nodiscard]] Stamps stamps() const;
  void put_in_force();

  const std::vector<std::string> files_;
  std::vector<EffectPtr> builtin_;
  std::shared_ptr<const OverlaySet> simulated_;
  std::atomic<std::uint64_t> version_ = 0;
  OverlayCounts counts_;

  mutable std::mutex mutex_;  ///< guards the members below
  std::vector<OverlayPtr> of_files_;
  std::vector<EffectPtr> effects_of_files_;
  std::deque<Set> sets_;  ///< newest first
  std::uint64_t unnamed_sets_ = 0;
  std::set<std::string> disabled_;  ///< names of disabled overlays
  std::unordered_map<std::uint64_t, OverlayPlays> plays_;
  std::shared_ptr<const OverlaySet> current_;

  std::vector<std::string> watched_;
  std::string digest_;
  Stamps read_stamps_;        ///< stamps of the files that were read
  std::string last_failure_;  ///< empty if the current files are valid
};

}  // namespace tapedeck::replay
