#include "scrubbers/private/private_pass.h"

#include <algorithm>

#include "base/text.h"
#include "scrubbers/private/private_shapes.h"
#include "scrubbers/text/codec.h"
#include "scrubbers/text/decode.h"

namespace tapedeck::scrubbers {
namespace {

constexpr std::array<Part, part_count> parts{Part::request_target,  Part::request_headers,  Part::request_body,
                                             Part::response_reason, Part::response_headers, Part::response_body};

bool is_header_part(Part part) { return part == Part::request_headers || part == Part::response_headers; }

/// Returns true for headers that describe a program or the format of a body. They contain no private data.
bool is_impersonal(std::string_view line) {
  static constexpr std::string_view names[] = {
      "User-Agent: ", "Server: ",  "Accept", "Content-Type: ", "Sec-Fetch-", "Cache-Control: ",
      "Date: ",       "Expires: ", "If-",    "ETag: ",         "Via: "};
  return std::any_of(std::begin(names), std::end(names), [line](std::string_view name) {
    return line.size() >= name.size() && base::equal_no_case(line.substr(0, name.size()), name);
  });
}

bool overlaps(const std::vector<Redaction>& rows, std::size_t begin, std::size_t end) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Redaction& row) { return row.offset < end && begin < row.offset + row.length; });
}

}  // namespace

PrivatePass::PrivatePass(Tools tools, const InteractionRecord& record)
    : tools_(tools), record_(record), texts_(record.request, record.response), fixed_(rows_by_part(record)) {}

/// Returns false for binary files, in which nothing is replaced.
bool PrivatePass::is_text(Part part) const {
  constexpr std::size_t looked_at = 4096;
  const std::string_view text = texts_[part];
  return !is_compressed_file(text) && text.substr(0, looked_at).find('\0') == std::string_view::npos;
}

template <class Visit>
void PrivatePass::each_piece(Part part, Visit&& visit) const {
  const std::string_view text = texts_[part];
  if (!is_header_part(part)) return visit(std::size_t{0}, text.size());
  for (const HeaderLine& line : header_lines(text)) {
    if (!is_impersonal(text.substr(line.begin, line.end - line.begin))) visit(line.value, line.end);
  }
}

void PrivatePass::add(Part part, std::size_t begin, std::size_t end, std::string made, Encoding encoding,
                      std::string rule, bool named) {
  if (begin >= end || overlaps(fixed_[index_of(part)], begin, end)) return;
  const auto number = static_cast<std::uint32_t>(made_.size());
  made_.push_back(std::move(made));
  spots_[index_of(part)].push_back({begin, end, number, std::move(encoding), std::move(rule), named, false});
}

void PrivatePass::find() {
  find_named(record_);
  for (const Part part : parts) find_shapes(part);
}

void PrivatePass::find_named(const InteractionRecord& record) {
  const CallContext context(record.request, api::Call::from(record.request));
  NamedFinds named;
  NamedFinder finder(tools_.rules, context, texts_, named);
  finder.request(record.request.headers);
  finder.answer(record.response.headers);
  for (NamedFind& find : named.finds) {
    const PrivateRule& known = tools_.kinds.at(find.rule);
    auto made = tools_.values.replaced(known.kind, find.value);
    if (made) add(find.part, find.begin, find.end, *std::move(made), std::move(find.encoding), known.rule.id, true);
  }
}

void PrivatePass::find_shapes(Part part) {
  if (!is_text(part)) return;
  each_piece(part, [&](std::size_t begin, std::size_t end) {
    find_shapes(part, begin, end, std::nullopt);
    const std::string_view text = texts_[part].substr(begin, end - begin);
    if (text.find('%') != std::string_view::npos) find_shapes(part, begin, end, Codec::percent);
    if (text.find('\\') != std::string_view::npos) find_shapes(part, begin, end, Codec::json);
  });
}

void PrivatePass::find_shapes(Part part, std::size_t begin, std::size_t end, std::optional<Codec> codec) {
  const std::string_view raw = texts_[part].substr(begin, end - begin);
  View view;
  if (codec && !decode_view(*codec, raw, view)) return;
  const std::string_view text = codec ? std::string_view(view.text) : raw;
  for (const PrivateShape& shape : private_shapes(text)) {
    const std::string_view value = text.substr(shape.begin, shape.end - shape.begin);
    std::string made = tools_.values.shape(shape, value);
    // Decoded text without an escape was already found in the raw text.
    if (made == value || (codec ? !view.map.has_escape(shape.begin, shape.end) : is_json_key(text, shape.end)))
      continue;
    const std::size_t from = view.map.raw_begin(shape.begin), to = view.map.raw_end(shape.end);
    add(part, begin + from, begin + to, std::move(made),
        codec ? encoding_of(*codec, raw.substr(from, to - from), value) : Encoding(),
        "private-shape-" + std::string(to_string(shape.kind)), false);
  }
}

void PrivatePass::search() {
  for (const Part part : parts) {
    if (!is_text(part)) continue;
    each_piece(part, [&](std::size_t begin, std::size_t end) { search(part, begin, end); });
  }
}

void PrivatePass::search(Part part, std::size_t begin, std::size_t end) {
  const std::string_view text = texts_[part].substr(begin, end - begin);
  for (SearchHit& hit : tools_.search.search(text)) {
    const std::string& spelling = tools_.search.spelling(hit.value);
    std::string made = tools_.pseudonyms.of_text(spelling);
    // A replacement of another length would shift the rest of its base64 group.
    if (has_base64(hit.encoding) && made.size() != spelling.size()) continue;
    add(part, begin + hit.begin, begin + hit.end, std::move(made), std::move(hit.encoding), "private-known", false);
  }
}

bool PrivatePass::replace_into(InteractionRecord& record) {
  const auto describe = [&](const Spot& spot) {
    Redaction row;
    row.secret_class = SecretClass::private_data;
    const auto next = static_cast<std::uint32_t>(tools_.ordinals.size());
    row.ordinal = tools_.ordinals.try_emplace(made_.at(spot.value), next).first->second;
    return row;
  };
  const auto word = [&](const Spot& spot, std::string_view stood_there) {
    return spot.fragment ? tools_.pseudonyms.of_text(stood_there) : encode(made_.at(spot.value), spot.encoding);
  };
  return replace_in(record, texts_, std::move(spots_), fixed_, describe, word);
}

std::string replaced_in_text(std::string_view text, Pseudonyms& pseudonyms, const PrivateSearch& search) {
  std::vector<Spot> spots;
  std::vector<std::string> made;
  const auto add = [&](std::size_t begin, std::size_t end, std::string pseudonym, Encoding encoding) {
    spots.push_back({begin, end, static_cast<std::uint32_t>(made.size()), std::move(encoding), {}, false, false});
    made.push_back(std::move(pseudonym));
  };
  for (const PrivateShape& shape : private_shapes(text)) {
    const std::string_view value = text.substr(shape.begin, shape.end - shape.begin);
    // Keys already contain pseudonyms.
    if (!pseudonyms.is_pseudonym(value)) add(shape.begin, shape.end, pseudonym_of(shape, value, pseudonyms), {});
  }
  for (SearchHit& hit : search.search(text)) {
    add(hit.begin, hit.end, pseudonyms.of_text(search.spelling(hit.value)), std::move(hit.encoding));
  }
  const auto word = [&](const Spot& spot, std::string_view stood_there) {
    return spot.fragment ? pseudonyms.of_text(stood_there) : encode(made.at(spot.value), spot.encoding);
  };
  return replace(text, std::move(spots), word).text;
}

}  // namespace tapedeck::scrubbers
