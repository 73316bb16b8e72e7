// Opens a cassette together with an unfinished recording beside it. The constructor of CassetteReader for a path is
// here, above finish/, because it finishes a private copy of the recording.

#include "base/private_folder.h"
#include "cassettes/finish/canonical.h"
#include "cassettes/read/check_cassette.h"
#include "cassettes/read/reader_state.h"
#include "cassettes/write/recording_file.h"

namespace tapedeck::cassettes {

namespace {

/// Merges the unfinished recording beside the cassette into a private copy, and opens the copy. Returns null if no
/// recording exists, or if the cassette already contains it.
OpenCassette with_recording(const std::string& path) {
  if (!exists(recording_of(full_path(path)))) return nullptr;
  const base::PrivateFolder folder;
  const auto recording = open_to_read(path, folder.path());
  if (!recording) return nullptr;
  const std::unique_ptr<Material> before =
      exists(full_path(path)) ? open_material(path, open_cassette(path)) : std::make_unique<Material>();
  if (has_take(*before, take_in(*recording).id)) return nullptr;
  CanonicalOptions options;
  options.why = Why::read_copy;
  const std::string copy = folder.file("canonical.cassette");
  FinishReport report;
  canonicalize(*before, recording.get(), copy, options, report);
  return std::make_shared<const Descriptor>(open_file(copy, false));
}

}  // namespace

CassetteReader::CassetteReader(const std::string& path) {
  try {
    OpenCassette file = with_recording(path);
    if (!file) file = open_cassette(path);
    impl_ = std::make_unique<Impl>(path, std::move(file));
  } catch (...) {
    rethrow_for(path);
  }
}

std::unique_ptr<Material> open_material(const std::string& path) {
  return open_material(path, ReaderAccess::state(CassetteReader(path)).file);
}

std::unique_ptr<Material> open_checked_material(const std::string& path) {
  const CassetteReader reader(path);
  check_content(reader);
  return open_material(path, ReaderAccess::state(reader).file);
}

}  // namespace tapedeck::cassettes
