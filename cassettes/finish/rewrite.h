#pragma once
// A cassette made of a Material: written beside the one that is there, verified and searched for secrets like the end
// of a recording, and then renamed into its place. Until the rename nothing has changed, whatever happens.

#include <functional>
#include <memory>
#include <string>

#include "cassettes/finish/finish.h"
#include "cassettes/finish/material.h"

namespace tapedeck::cassettes {

struct RewriteOptions {
  /// Scrubs what is edited, and all of the material when it learns a value from that. Not null when anything is edited.
  scrubbers::Scrubber* scrubber = nullptr;
  /// As FinishOptions::progress.
  std::function<bool(const char* step, std::uint64_t done, std::uint64_t total)> progress;
};

/// A finished cassette, held against recorders and other rewriters.
class Rewriting {
 public:
  /// Finishes what a killed recorder has left beside it. Throws CassetteError.
  explicit Rewriting(const std::string& path);
  ~Rewriting();
  Rewriting(const Rewriting&) = delete;
  Rewriting& operator=(const Rewriting&) = delete;

  [[nodiscard]] const std::string& path() const;
  /// What became of a recording that a killed recorder had left.
  [[nodiscard]] const std::optional<FinishReport>& leftover() const;
  /// What it has now; no other reader of this process sees it cheaper while it is held.
  [[nodiscard]] Material& content();
  [[nodiscard]] const CassetteReader& reader() const;
  /// Puts `content` in its place; may be called once. A learned value that the leak scan finds in the new file is a
  /// failure: the old file stays, and the new one goes.
  [[nodiscard]] FinishReport write(Material& content, const RewriteOptions& options);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The same at a name where nothing is; throws CassetteError(io) when something is.
[[nodiscard]] FinishReport write_new(const std::string& path, Material& content, const RewriteOptions& options);

}  // namespace tapedeck::cassettes
