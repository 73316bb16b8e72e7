#include "cassettes/file/redaction_codec.h"

#include <limits>

#include "cassettes/file/connection.h"
#include "cassettes/file/schema.h"

namespace tapedeck::cassettes {

namespace {

void put_number(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void put_string(std::string& out, std::string_view value) {
  put_number(out, value.size());
  out += value;
}

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  std::uint8_t byte(int largest) {
    if (rest_.empty() || static_cast<unsigned char>(rest_.front()) > largest) throw Damage("a packed redaction is bad");
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }

  std::uint64_t number(std::uint64_t largest) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      const std::uint8_t next = byte(0xff);
      value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
      if (next < 0x80) {
        if (value > largest) break;
        return value;
      }
    }
    throw Damage("a number of a packed redaction is out of its range");
  }

  std::string string() {
    const std::uint64_t size = number(rest_.size());
    if (size > rest_.size()) throw Damage("a packed redaction is cut");
    const std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::string pack(const std::vector<scrubbers::Redaction>& redactions) {
  std::string out;
  for (const scrubbers::Redaction& redaction : redactions) {
    out += static_cast<char>(redaction.part);
    out += static_cast<char>(redaction.secret_class);
    out += static_cast<char>(redaction.whose);
    put_number(out, redaction.offset);
    put_number(out, redaction.length);
    put_number(out, redaction.owner);
    put_number(out, redaction.ordinal);
    put_string(out, redaction.encoding);
    put_string(out, redaction.shape);
    put_string(out, redaction.rule);
  }
  return out;
}

std::vector<scrubbers::Redaction> unpack(std::string_view bytes) {
  constexpr std::uint64_t largest_offset = std::uint64_t{1} << 40;
  constexpr std::uint64_t largest_number = std::numeric_limits<std::int32_t>::max();
  std::vector<scrubbers::Redaction> redactions;
  Unpacker unpacker(bytes);
  while (!unpacker.at_end()) {
    scrubbers::Redaction redaction;
    redaction.part = static_cast<scrubbers::Part>(unpacker.byte(static_cast<int>(scrubbers::Part::response_body)));
    redaction.secret_class =
        static_cast<scrubbers::SecretClass>(unpacker.byte(static_cast<int>(scrubbers::last_secret_class)));
    redaction.whose = static_cast<scrubbers::Whose>(unpacker.byte(static_cast<int>(scrubbers::Whose::another)));
    redaction.offset = unpacker.number(largest_offset);
    redaction.length = unpacker.number(largest_offset);
    redaction.owner = static_cast<std::uint32_t>(unpacker.number(largest_number));
    redaction.ordinal = static_cast<std::uint32_t>(unpacker.number(largest_number));
    redaction.encoding = unpacker.string();
    redaction.shape = unpacker.string();
    redaction.rule = unpacker.string();
    redactions.push_back(std::move(redaction));
  }
  return redactions;
}

std::string pack_events(const std::vector<api::StreamEvent>& events, std::int64_t start_us) {
  std::string out;
  api::StreamEvent last{start_us, 0};
  std::size_t count = 0;
  for (const api::StreamEvent& event : events) {
    if (event.at_us < last.at_us || event.end < last.end) continue;
    if (++count > api::most_stream_events) break;
    put_number(out, static_cast<std::uint64_t>(event.at_us - last.at_us));
    put_number(out, event.end - last.end);
    last = event;
  }
  return out;
}

std::vector<api::StreamEvent> unpack_events(std::string_view bytes, std::int64_t start_us, std::uint64_t body_size) {
  std::vector<api::StreamEvent> events;
  api::StreamEvent last{start_us, 0};
  Unpacker unpacker(bytes);
  while (!unpacker.at_end()) {
    if (events.size() == api::most_stream_events) throw Damage("a stream has too many events");
    last.at_us += static_cast<std::int64_t>(unpacker.number(static_cast<std::uint64_t>(largest_time)));
    if (last.at_us > 2 * largest_time) throw Damage("a stream's event is out of time");
    last.end += unpacker.number(body_size - last.end);
    events.push_back(last);
  }
  return events;
}

PartSizes part_sizes(const scrubbers::InteractionRecord& record) {
  PartSizes sizes;
  sizes.of[0] = record.request.target.size();
  sizes.of[1] = record.request.headers.to_text().size();
  sizes.of[2] = record.request.body.size();
  sizes.of[3] = record.response.reason.size();
  sizes.of[4] = record.response.headers.to_text().size();
  sizes.of[5] = record.response.body.size();
  return sizes;
}

void check_redactions(const std::vector<scrubbers::Redaction>& redactions, const PartSizes& sizes) {
  const scrubbers::Redaction* before = nullptr;
  for (const scrubbers::Redaction& redaction : redactions) {
    const std::uint64_t size = sizes.of[static_cast<std::size_t>(redaction.part)];
    if (redaction.offset > size || redaction.length > size - redaction.offset) {
      throw Damage("a redaction lies outside its text");
    }
    if (before && (redaction.part < before->part ||
                   (redaction.part == before->part &&
                    (redaction.offset <= before->offset || redaction.offset < before->offset + before->length)))) {
      throw Damage("redactions overlap");
    }
    before = &redaction;
  }
}

}  // namespace tapedeck::cassettes
