// Feeds cassettes from untrusted sources: with any change to a valid one, it is read or refused with CassetteError. An
// input is a list of changes to the cassette that is created at the start, each `offset:3 length:1 bytes`. An input
// that begins with the magic of SQLite is a whole file.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "cassettes/file/cassette_error.h"
#include "cassettes/file/files.h"
#include "cassettes/file/page_checksums.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/content_hash.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/cassette_fixture.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteReader;
using fuzz::must;

std::string bytes_of(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string bytes(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
  must(::pread(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()), "the cassette can be read");
  ::close(file);
  return bytes;
}

const std::string& good_cassette() {
  static const std::string bytes = [] {
    const std::string sid = "made-up-session-0123456789";
    const auto cassette = cassette_with({
        login("fuzz", sid),
        record("SVC.Core.Network/1/get", R"({"data":{"gateway":"192.0.2.1"},"success":true})", sid),
        record("SVC.Core.Network/1/set?gateway=192.0.2.9", ok, sid),
        record("SVC.Core.Network/1/get", R"({"data":{"gateway":"192.0.2.9"},"success":true})", sid),
        record("SVC.Core.Cut/1/get", "", sid).broken("cut"),
        record_target("GET", "/scripts/boot.js", std::string(5000, 'a')),
    });
    return bytes_of(cassette.path());
  }();
  return bytes;
}

std::string changed(std::string_view changes) {
  if (changes.starts_with("SQLite format 3")) return std::string(changes);
  std::string bytes = good_cassette();
  while (changes.size() > 4) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(changes[at]); };
    const std::size_t offset = (byte(0) << 16 | byte(1) << 8 | byte(2)) % bytes.size();
    const std::size_t length = std::min<std::size_t>({byte(3) % 64u + 1u, changes.size() - 4, bytes.size() - offset});
    bytes.replace(offset, length, changes.substr(4, length));
    changes.remove_prefix(4 + length);
  }
  return bytes;
}

/// Calls all functions of a reader.
void use(const CassetteReader& reader) {
  std::string key;
  reader.list([&](const cassettes::ListedInteraction& line) {
    key = line.key;
    (void)reader.get(line.id);
    return true;
  });
  for (const auto& sequence : reader.sequences(key)) {
    (void)reader.segments(sequence, 0, 100);
    for (std::uint32_t at = 0; at < std::min(sequence.count, 8u); ++at) (void)reader.answer(sequence, at);
  }
  (void)reader.operations();
  (void)reader.keys_of("Core.Network", "get", 10);
  (void)reader.lanes(1);
  (void)cassettes::content_hash(reader);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TestFolder folder;
  static const std::string path = folder.file("fuzz.cassette");
  const std::string bytes = changed(fuzz::text_of(data, size));
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  must(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "the file can be written");
  ::close(file);
  try {
    // An attacker's checksums may be valid.
    if (data != nullptr && size > 0 && data[size - 1] % 4 != 0) cassettes::seal_pages(cassettes::open_file(path, true), path);
    use(CassetteReader(path));
  } catch (const cassettes::CassetteError& error) {
    const std::string_view text = error.what();
    const std::size_t end = std::min(text.find("\nhint: "), text.size());
    must(text.find('\n') >= end && text.find('\n', end + 1) == std::string_view::npos,
         "a refusal is one line, with at most one hint");
  }
  return 0;
}
