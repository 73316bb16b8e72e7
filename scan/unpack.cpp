#include "scan/unpack.h"

#include <zstd.h>

#include <string>

#include "scan/byte_tables.h"

namespace tapedeck::scan {

namespace {

Frame first_frame(std::string_view view, std::size_t from) {
  // Searches for the rarest byte of each magic number: the second one of gzip and zlib, the fourth one of zstd.
  Frame first;
  const auto note = [&](std::size_t start, Coding coding) {
    if (start < first.start) first = {start, coding};
  };
  // Each search ends at the best match so far.
  const auto find = [&](char byte, std::size_t at) { return view.substr(0, first.start).find(byte, at); };
  constexpr auto npos = std::string_view::npos;
  for (std::size_t at = find('\xfd', from + 3); at != npos; at = find('\xfd', at + 1))
    if (view.substr(at - 3, 3) == "\x28\xb5\x2f") note(at - 3, Coding::zstd);
  for (std::size_t at = find('\x8b', from + 1); at != npos; at = find('\x8b', at + 1))
    if (view[at - 1] == '\x1f' && at + 2 < view.size() && view[at + 1] == 8 && byte_of(view[at + 2]) < 0x20)
      note(at - 1, Coding::gzip);
  for (const char level : {'\x01', '\x5e', '\x9c', '\xda'})
    for (std::size_t at = find(level, from + 1); at != npos; at = find(level, at + 1))
      if (view[at - 1] == 'x') note(at - 1, Coding::zlib);
  return first;
}

}  // namespace

Frame next_frame(std::string_view view, std::size_t from) {
  // Searches window by window. Otherwise, each occurrence of one magic number would cause a search for the others to
  // the end of the view.
  constexpr std::size_t window = 4096, longest_magic = 4;
  for (; from < view.size(); from += window) {
    const Frame first = first_frame(view.substr(0, from + window + longest_magic - 1), from);
    if (first.start < from + window) return first;
  }
  return {};
}

std::size_t zstd_frame_size(std::string_view input) {
  const std::size_t size = ZSTD_findFrameCompressedSize(input.data(), input.size());
  return ZSTD_isError(size) != 0 ? 0 : size;
}

bool needs_dictionary(std::string_view input) {
  return ZSTD_getDictID_fromFrame(input.data(), input.size()) != 0 && zstd_frame_size(input) > 0;
}

base::StreamResult unpack(Coding coding, std::string_view input, const MayHold& may_hold, const PieceSink& sink) {
  constexpr std::size_t long_piece = 8 * 1024 * 1024, overlap = 64 * 1024;
  std::string piece;
  std::size_t handed_out = 0;
  const auto result = base::decode_stream(coding, input, [&](std::string_view more) {
    if (!may_hold(piece.size() + more.size())) return false;
    piece += more;
    if (piece.size() < long_piece) return true;
    if (!sink(piece)) return false;
    piece.erase(0, piece.size() - overlap);
    handed_out = overlap;
    return true;
  });
  if (piece.size() > handed_out) sink(piece);
  return result;
}

}  // namespace tapedeck::scan
