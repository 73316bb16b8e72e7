#include "scrubbers/search/knowledge.h"

#include <cstring>
#include <stdexcept>

#include "base/wipe.h"

namespace tapedeck::scrubbers {

EntryWriter::~EntryWriter() { base::wipe(bytes_); }

EntryWriter& EntryWriter::number(std::uint64_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  bytes_.append(bytes, sizeof value);
  return *this;
}

EntryWriter& EntryWriter::text(std::string_view value) {
  bytes_.reserve(bytes_.size() + sizeof(std::uint64_t) + value.size());
  number(value.size());
  bytes_.append(value);
  return *this;
}

EntryReader::EntryReader(std::string_view entry) : rest_(entry), kind_(static_cast<EntryKind>(take(1).front())) {
  if (kind_ > EntryKind::ordinal) throw std::runtime_error("an entry of an unknown kind");
}

std::string_view EntryReader::take(std::size_t bytes) {
  if (rest_.size() < bytes) throw std::runtime_error("an entry that is cut");
  const std::string_view taken = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return taken;
}

std::uint64_t EntryReader::number() {
  std::uint64_t value = 0;
  std::memcpy(&value, take(sizeof value).data(), sizeof value);
  return value;
}

std::string_view EntryReader::text() { return take(number()); }

}  // namespace tapedeck::scrubbers
