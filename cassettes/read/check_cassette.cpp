#include "cassettes/read/check_cassette.h"

#include "cassettes/file/page_checksums.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

void check_content(const CassetteReader& reader) {
  reader.each([](const FullInteraction&) { return true; });
}

void check_cassette(const std::string& path) {
  try {
    const CassetteReader reader = ReaderAccess::reader(path, open_cassette(path));
    ReaderState& state = ReaderAccess::state(reader);
    if (is_checked_later(reader)) {
      check_pages(reader, {});
      quick_check(*state.database, state.deadline, no_limit);
    }
    check_content(reader);
  } catch (...) {
    rethrow_for(path);
  }
}

void check_pages(const CassetteReader& reader, const std::function<bool()>& goes_on) {
  const ReaderState& state = ReaderAccess::state(reader);
  if (check_pages(*state.file, goes_on)) return;
  throw CassetteError(CassetteError::Kind::damaged, state.path + " is damaged: the checksum of a page is wrong");
}

bool is_checked_later(const CassetteReader& reader) {
  return ReaderAccess::state(reader).file->size() > checked_up_front;
}

}  // namespace tapedeck::cassettes
