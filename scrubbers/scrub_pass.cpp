#include "scrubbers/scrub_pass.h"

#include <algorithm>
#include <array>

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t part_count = 6;

std::size_t index_of(Part part) { return static_cast<std::size_t>(part); }

bool is_answer(Part part) { return part >= Part::response_reason; }

// The first of the rows (sorted, without overlaps) that ends behind `at`.
auto first_behind(const std::vector<Redaction>& rows, std::size_t at) {
  return std::partition_point(rows.begin(), rows.end(),
                              [at](const Redaction& row) { return row.offset + row.length <= at; });
}

}  // namespace

namespace {

bool is_id(SecretClass secret_class) {
  return secret_class == SecretClass::session_id || secret_class == SecretClass::csrf_token ||
         secret_class == SecretClass::device_id;
}

// A client can write what it likes behind `_sid=`. What no device would issue is not looked for everywhere, or a
// request could have words of all answers replaced.
Learning learning_of(const CompiledRules& rules, const NamedFind& find) {
  if (!rules.rule(find.rule).learn || find.secret_class == SecretClass::account) return Learning::none;
  const bool is_odd = !is_answer(find.part) && is_id(find.secret_class) && !looks_like_id(find.value);
  return is_odd ? Learning::by_name : Learning::if_distinctive;
}

}  // namespace

std::vector<LearnedSecrets::Id> note_finds(const CompiledRules& rules, const NamedFinds& named,
                                           LearnedSecrets& learned) {
  learned.see_keys(named.keys.hashes());
  std::vector<LearnedSecrets::Id> ids;
  ids.reserve(named.finds.size());
  constexpr std::size_t most_of_a_request = 1000;
  std::size_t asked = 0;
  for (const NamedFind& find : named.finds) {
    const bool too_many = !is_answer(find.part) && ++asked > most_of_a_request;
    const Learning learning = learning_of(rules, find);
    ids.push_back(
        learned.note(find.value, find.secret_class, too_many ? std::min(learning, Learning::by_name) : learning));
  }
  return ids;
}

ScrubPass::ScrubPass(const CompiledRules& rules, InteractionRecord& record, SeenRequest&& seen)
    : rules_(rules),
      context_(std::move(seen.context)),
      texts_(std::move(seen.texts)),
      scope_(record.scope),
      run_(record.run),
      named_(std::move(seen.finds)) {
  texts_[index_of(Part::response_reason)] = std::move(record.response.reason);
  texts_[index_of(Part::response_headers)] = record.response.headers.to_text();
  texts_[index_of(Part::response_body)] = std::move(record.response.body);
  for (const Redaction& row : record.redactions) {
    if (index_of(row.part) < part_count) fixed_[index_of(row.part)].push_back(row);
  }
}

void ScrubPass::find_in_answer(const InteractionRecord& record) {
  NamedFinder(rules_, context_, texts_, named_).answer(record.response.headers);
  if (!record.redactions.empty()) drop_replaced();
}

void ScrubPass::drop_replaced() {
  // What is a placeholder already is no value; text beside one within a value is still found below.
  std::vector<NamedFind> finds;
  for (const NamedFind& find : named_.finds) add_outside_of(fixed_[index_of(find.part)], find, finds);
  named_.finds = std::move(finds);
}

void ScrubPass::add_outside_of(const std::vector<Redaction>& rows, const NamedFind& find,
                               std::vector<NamedFind>& finds) const {
  auto row = first_behind(rows, find.begin);
  if (row == rows.end() || row->offset >= std::max(find.end, find.begin + 1)) {
    finds.push_back(find);
    return;
  }
  std::size_t at = find.begin;
  const auto add_piece = [&](std::size_t end) {
    if (end <= at) return;
    NamedFind piece = find;
    piece.begin = at;
    piece.end = end;
    piece.value = std::string(text_of(texts_, find.part).substr(at, end - at));
    piece.encoding.clear();
    finds.push_back(std::move(piece));
  };
  for (; row != rows.end() && row->offset < find.end; ++row) {
    add_piece(row->offset);
    at = row->offset + row->length;
  }
  add_piece(find.end);
}

void ScrubPass::drop_known_in_patterns(const SecretSearch& search) {
  std::erase_if(named_.finds, [&](const NamedFind& find) {
    return rules_.rule(find.rule).scope == Scope::body_pattern && search.occurs_plainly(find.value);
  });
}

void ScrubPass::learn(LearnedSecrets& learned) { ids_ = note_finds(rules_, named_, learned); }

// The session id of one half: in a parameter or a body before a cookie.
const NamedFind* ScrubPass::session_find(bool in_answer, LearnedSecrets::Id& id) const {
  const NamedFind* best = nullptr;
  for (std::size_t i = 0; i < named_.finds.size(); ++i) {
    const NamedFind& find = named_.finds[i];
    if (find.secret_class != SecretClass::session_id || is_answer(find.part) != in_answer) continue;
    const Scope scope = rules_.rule(find.rule).scope;
    if (scope == Scope::body_pattern) continue;
    const bool better = best == nullptr || (rules_.rule(best->rule).scope == Scope::cookie && scope != Scope::cookie);
    if (!better) continue;
    best = &find;
    id = ids_[i];
  }
  return best;
}

void ScrubPass::give_session_values(LearnedSecrets& learned) {
  for (std::size_t i = 0; i < named_.finds.size(); ++i) {
    const NamedFind& find = named_.finds[i];
    const bool answer = is_answer(find.part);
    switch (find.secret_class) {
      case SecretClass::csrf_token:
      case SecretClass::device_id:
      case SecretClass::task_id:
        if (answer || !learned.has_owner(ids_[i], scope_number_)) learned.give(ids_[i], session_);
        break;
      case SecretClass::session_id:
        // A login's answer may name its session twice, in the body and as a cookie, and differently.
        if (answer && context_.is_login() && !learned.has_owner(ids_[i], scope_number_))
          learned.give(ids_[i], session_);
        break;
      default:
        break;
    }
  }
}

void ScrubPass::number(LearnedSecrets& learned, std::uint32_t session_so_far) {
  LearnedSecrets::Id id = 0;
  scope_number_ = learned.scope_of(scope_, run_);
  session_ = session_so_far;
  if (session_ == 0 &&
      ((context_.is_login() && session_find(true, id) != nullptr) || session_find(false, id) != nullptr)) {
    session_ = learned.session_of(id, scope_number_);
  }
  give_session_values(learned);
  for (std::size_t i = 0; i < named_.finds.size(); ++i) {
    if (named_.finds[i].secret_class == SecretClass::account && context_.is_login() && account_ == 0) {
      account_ = learned.account_of(ids_[i]);
    }
    static_cast<void>(learned.describe(ids_[i], session_, scope_number_));
  }
}

void ScrubPass::search_part(const SecretSearch& search, Part part, std::size_t begin, std::size_t end) {
  if (end - begin < SecretSearch::shortest) return;
  const std::string_view text = text_of(texts_, part).substr(begin, end - begin);
  for (SearchHit& hit : search.search(text)) {
    spots_[index_of(part)].push_back(
        {begin + hit.begin, begin + hit.end, hit.value, std::move(hit.encoding), "learned", false, false});
  }
}

// Name by name and value by value: a find must not take a line's end or colon with it.
void ScrubPass::search_header_lines(const SecretSearch& search, Part part) {
  const std::string_view text = text_of(texts_, part);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("\r\n", at), text.size());
    const std::size_t colon = text.find(": ", at);
    search_part(search, part, at, std::min(colon, end));
    if (colon < end) search_part(search, part, colon + 2, end);
    at = end + 2;
  }
}

void ScrubPass::search(const SecretSearch& search) {
  if (search.empty()) return;
  for (const Part part : {Part::request_target, Part::request_body, Part::response_reason, Part::response_body}) {
    search_part(search, part, 0, text_of(texts_, part).size());
  }
  search_header_lines(search, Part::request_headers);
  search_header_lines(search, Part::response_headers);
}

bool ScrubPass::replaces(Part part) const {
  const std::size_t index = index_of(part);
  return !fixed_[index].empty() || !spots_[index].empty() ||
         std::any_of(named_.finds.begin(), named_.finds.end(),
                     [part](const NamedFind& find) { return find.part == part && find.begin < find.end; });
}

std::size_t ScrubPass::replace_into(InteractionRecord& record, LearnedSecrets& learned) {
  for (std::size_t i = 0; i < named_.finds.size(); ++i) {
    NamedFind& find = named_.finds[i];
    if (find.begin == find.end) continue;
    spots_[index_of(find.part)].push_back(
        {find.begin, find.end, ids_[i], std::move(find.encoding), rules_.rule(find.rule).id, true, false});
  }
  const std::size_t rows_before = record.redactions.size();
  record.redactions.clear();
  std::array<bool, part_count> changed{};
  for (std::size_t i = 0; i < part_count; ++i) {
    if (spots_[i].empty()) {
      record.redactions.insert(record.redactions.end(), fixed_[i].begin(), fixed_[i].end());
      continue;
    }
    const std::vector<Spot> spots = without_overlaps(std::move(spots_[i]), fixed_[i]);
    Replaced replaced = replace(texts_[i], static_cast<Part>(i), spots, fixed_[i], [&](const Spot& spot) {
      return learned.describe(spot.value, session_, scope_number_);
    });
    if (i == index_of(Part::response_body)) {
      for (api::StreamEvent& event : record.events) event.end = replaced.place_of(event.end);
    }
    texts_[i] = std::move(replaced.text);
    changed[i] = true;
    std::move(replaced.rows.begin(), replaced.rows.end(), std::back_inserter(record.redactions));
  }
  record.request.target = std::move(texts_[0]);
  if (changed[1]) record.request.headers = http::Headers::from_text(texts_[1]);
  record.request.body = std::move(texts_[2]);
  record.response.reason = std::move(texts_[3]);
  if (changed[4]) record.response.headers = http::Headers::from_text(texts_[4]);
  record.response.body = std::move(texts_[5]);
  return record.redactions.size() - rows_before;
}

}  // namespace tapedeck::scrubbers
