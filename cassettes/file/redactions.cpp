#include "cassettes/file/redactions.h"

#include <string_view>

namespace tapedeck::cassettes {

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
      throw Damage("a redaction is outside its text");
    }
    if (before && (redaction.part < before->part ||
                   (redaction.part == before->part &&
                    (redaction.offset <= before->offset || redaction.offset < before->offset + before->length)))) {
      throw Damage("redactions overlap");
    }
    before = &redaction;
  }
}

namespace {

scrubbers::SecretClass secret_class_of(std::string_view word) {
  for (int one = 0; one <= static_cast<int>(scrubbers::last_secret_class); ++one) {
    const auto secret_class = static_cast<scrubbers::SecretClass>(one);
    if (scrubbers::to_string(secret_class) == word) return secret_class;
  }
  throw Damage("a redaction has an unknown class");
}

}  // namespace

void add_redaction(Query& row, const scrubbers::Redaction& redaction) {
  const std::string encoding = scrubbers::to_string(redaction.encoding);
  row.integer(static_cast<int>(redaction.part)).integer(static_cast<std::int64_t>(redaction.offset));
  row.integer(static_cast<std::int64_t>(redaction.length)).text(scrubbers::to_string(redaction.secret_class));
  row.integer(static_cast<int>(redaction.whose)).integer(redaction.owner).integer(redaction.ordinal);
  row.text(encoding).text(redaction.shape).text(redaction.rule).run();
}

scrubbers::Redaction redaction_in(const Query& row) {
  scrubbers::Redaction redaction;
  redaction.part = static_cast<scrubbers::Part>(row.number(0, 0, static_cast<int>(scrubbers::Part::response_body)));
  redaction.offset = row.small(1);
  redaction.length = row.small(2);
  redaction.secret_class = secret_class_of(row.bytes(3));
  redaction.whose = static_cast<scrubbers::Whose>(row.number(4, 0, static_cast<int>(scrubbers::Whose::another)));
  redaction.owner = row.small(5);
  redaction.ordinal = row.small(6);
  auto encoding = scrubbers::parse_encoding(row.bytes(7));
  if (!encoding) throw Damage("a redaction has an unknown encoding");
  redaction.encoding = *std::move(encoding);
  redaction.shape = row.string(8);
  redaction.rule = row.string(9);
  return redaction;
}

}  // namespace tapedeck::cassettes
