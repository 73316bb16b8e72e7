#include "cassettes/read/content_hash.h"

#include "base/digest.h"
#include "cassettes/file/interaction_id.h"

namespace tapedeck::cassettes {

namespace {

template <class Enum>
std::uint64_t number(Enum value) {
  return static_cast<std::uint64_t>(value);
}

std::string text_of(const FullInteraction& interaction) {
  const scrubbers::InteractionRecord& record = interaction.record;
  HashedFields fields;
  fields.add(record.scope).add(record.key.text).add(interaction.line.lane).add(record.session).add(record.account);
  fields.add(number(record.completeness)).add(record.reason).add(number(record.effect));
  // The digest of a withheld body is left out, because its key is different for each run.
  fields.add(record.withheld_bytes);
  fields.add(record.request.method).add(record.request.target);
  fields.add(static_cast<std::uint64_t>(record.request.minor_version));
  fields.add(record.request.headers.to_text()).add(record.request.body);
  fields.add(static_cast<std::uint64_t>(record.response.status)).add(record.response.reason);
  fields.add(record.response.headers.to_text()).add(record.response.body);
  for (const scrubbers::Redaction& redaction : record.redactions) {
    fields.add(number(redaction.part)).add(redaction.offset).add(redaction.length);
    fields.add(number(redaction.secret_class)).add(number(redaction.whose));
    fields.add(redaction.owner).add(redaction.ordinal);
  }
  return fields.text();
}

}  // namespace

std::string content_hash(const CassetteReader& cassette) {
  HashedFields policies;
  policies.add("tapedeck content 1").add(static_cast<std::uint64_t>(cassette.info().key_policy));
  policies.add(cassette.info().scrub_policy);
  std::string chain = sha256_bytes(policies.text());
  cassette.each([&](const FullInteraction& interaction) {
    chain = sha256_bytes(chain + sha256_bytes(text_of(interaction)));
    return true;
  });
  return base::to_hex(chain);
}

}  // namespace tapedeck::cassettes
