#include "cassettes/file/page_checksums.h"

#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/system.h"
#include "cassettes/file/cassette_error.h"
#include "cassettes/file/format.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t pages_at_once = 256;

using Checksum = std::array<char, checksum_size>;

static_assert(std::endian::native == std::endian::little, "the words of a page are little-endian");

/// Computes two sums that depend on each other, as in SQLite's write-ahead log. Each changed bit changes at least one
/// of them.
Checksum checksum_of(std::string_view page) {
  std::array<std::uint32_t, 2> sums{}, words{};
  for (std::size_t at = 0; at + checksum_size < page.size(); at += sizeof words) {
    std::memcpy(words.data(), page.data() + at, sizeof words);
    sums[0] += words[0] + sums[1];
    sums[1] += words[1] + sums[0];
  }
  Checksum checksum{};
  std::memcpy(checksum.data(), sums.data(), checksum.size());
  return checksum;
}

}  // namespace

bool has_right_checksum(std::string_view page) {
  const Checksum checksum = checksum_of(page);
  return page.substr(page.size() - checksum_size) == std::string_view(checksum.data(), checksum.size());
}

void seal_pages(const Descriptor& file, const std::string& path) {
  std::string block(pages_at_once * page_size, '\0');
  for (std::uint64_t at = 0; at < file.size();) {
    const std::size_t got = base::read_at(file.number(), at, block);
    if (got == 0 || got % page_size != 0) throw CassetteError(CassetteError::Kind::io, "cannot read " + path);
    for (std::size_t page = 0; page < got; page += page_size) {
      const Checksum checksum = checksum_of(std::string_view(block).substr(page, page_size));
      std::memcpy(block.data() + page + page_size - checksum_size, checksum.data(), checksum.size());
    }
    for (std::size_t done = 0; done < got;) {
      const ssize_t written = pwrite(file.number(), block.data() + done, got - done, static_cast<off_t>(at + done));
      if (written <= 0) {
        throw CassetteError(CassetteError::Kind::io, "cannot write " + path + ": " + std::strerror(errno));
      }
      done += static_cast<std::size_t>(written);
    }
    at += got;
  }
  base::start_sync(file.number());
}

bool check_pages(const Descriptor& file, const std::function<bool()>& goes_on) {
  std::string block(pages_at_once * page_size, '\0');
  const std::uint64_t size = file.size();
  for (std::uint64_t at = 0; at < size;) {
    if (goes_on && !goes_on()) return true;
    const std::size_t got = base::read_at(file.number(), at, block);
    if (got == 0 || got % page_size != 0) return false;
    for (std::size_t page = 0; page < got; page += page_size) {
      if (!has_right_checksum(std::string_view(block).substr(page, page_size))) return false;
    }
    at += got;
  }
  return true;
}

}  // namespace tapedeck::cassettes
