#include "scrubbers/scrub_pass.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "api/envelope.h"
#include "api/session_request.h"
#include "base/text.h"
#include "http/message/urlencoded.h"
#include "scrubbers/redaction/structure.h"
#include "scrubbers/rules/plain_values.h"
#include "scrubbers/search/literal_index.h"
#include "scrubbers/search/message_structure.h"
#include "scrubbers/search/tickets.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

/// The maximum number of known values found in one text. Each hit costs more than a hundred bytes.
constexpr std::size_t most_hits = 2 * NamedFinds::most;

bool is_answer(Part part) { return part >= Part::response_reason; }

// Returns the first of the rows (sorted, without overlaps) that ends after `at`.
auto first_behind(const std::vector<Redaction>& rows, std::size_t at) {
  return std::partition_point(rows.begin(), rows.end(),
                              [at](const Redaction& row) { return row.offset + row.length <= at; });
}

bool is_body(Part part) { return part == Part::request_body || part == Part::response_body; }

/// Returns true for a value that identifies the client and is sent with every call of a session.
bool identifies_client(const ScrubRule& rule, const NamedFind& find) {
  return is_id(find.secret_class) || rule.scope == Scope::header || rule.scope == Scope::cookie;
}

bool is_confirmed(const Confirmation& confirmation, const ScrubRule& rule, const NamedFind& find) {
  if (is_answer(find.part)) return !confirmation.is_echo || !confirmation.is_echo(find.value);
  const bool is_password = find.secret_class == SecretClass::password;
  // People choose passwords. IDs and tokens are made by programs, and a device may ignore one that it did not make.
  const bool may_count = is_password || (looks_like_credential(find.value) && has_random_part(find.value));
  if (confirmation.login) return !is_id(find.secret_class) || may_count;
  if (confirmation.password && is_password) return true;
  if (confirmation.header) return rule.scope == Scope::header && (is_password || may_count);
  if (!identifies_client(rule, find)) return confirmation.write;
  return confirmation.session && may_count && (!is_id(find.secret_class) || looks_like_id(find.value));
}

Learning learning_of(const ScrubRule& rule, const NamedFind& find, const LearnedSecrets& learned,
                     const Confirmation& confirmation) {
  if (!rule.learn || find.secret_class == SecretClass::account) return Learning::none;
  if (is_confirmed(confirmation, rule, find)) return is_answer(find.part) ? Learning::confirmed : Learning::accepted;
  return learned.knows(find.value) ? Learning::confirmed : Learning::unconfirmed;
}

}  // namespace

void note_finds(const CompiledRules& rules, NamedFinds& named, LearnedSecrets& learned,
                const Confirmation& confirmation) {
  learned.see_keys(named.keys.hashes());
  std::erase_if(named.finds, [&](const NamedFind& find) { return find.plain && !learned.knows(find.value); });
  const auto yields = [&](const NamedFind& find) { return rules.rule(find.rule).yields; };
  std::size_t in_request = 0, in_answer = 0;
  const auto note = [&](NamedFind& find) {
    const bool too_many = is_answer(find.part) ? ++in_answer > LearnedSecrets::most_of_an_answer
                                               : ++in_request > LearnedSecrets::most_of_a_request;
    const Learning learning = learning_of(rules.rule(find.rule), find, learned, confirmation);
    find.id = learned.note(find.value, find.secret_class,
                           too_many && learning > Learning::too_many ? Learning::too_many : learning);
  };
  for (NamedFind& find : named.finds) {
    if (!yields(find)) note(find);
  }
  // From here on, the session IDs of this message are known.
  std::erase_if(named.finds,
                [&](const NamedFind& find) { return yields(find) && learned.holds_session_id(find.value); });
  for (NamedFind& find : named.finds) {
    if (yields(find)) note(find);
  }
}

ScrubPass::ScrubPass(const CompiledRules& rules, const InteractionRecord& record, AnalyzedRequest&& seen)
    : rules_(rules),
      context_(std::move(seen.context)),
      texts_(record.request, record.response),
      fixed_(rows_by_part(record)),
      scope_(record.scope),
      run_(record.run),
      is_form_(http::is_form(record.request.headers)),
      named_(std::move(seen.finds)) {}

void ScrubPass::find_in_answer(const InteractionRecord& record) {
  NamedFinder(rules_, context_, texts_, named_).answer(record.response.headers);
  if (!record.redactions.empty()) drop_replaced();
}

Confirmation ScrubPass::confirmation_of(const InteractionRecord& record) const {
  Confirmation confirmation;
  if (record.response.status < 200 || record.response.status >= 400) return confirmation;
  const std::string_view body = texts_[Part::response_body];
  if (context_.is_login()) {
    const auto verdict = api::verdict(body);
    confirmation.login = verdict && verdict->success;
    confirmation.password = verdict && !verdict->success && api::accepts_password(verdict->error_code);
    return confirmation;
  }
  constexpr int redirects = 300;
  confirmation.header = !context_.is_call() && record.response.status < redirects;
  confirmation.session = context_.proves_session(record.response, body) && names_one_session();
  confirmation.write = confirmation.session && record.effect == api::Effect::write;
  return confirmation;
}

/// Returns false if the request contains two different session IDs, because it is unknown which one the device
/// accepted.
bool ScrubPass::names_one_session() const {
  const std::string* first = nullptr;
  for (const NamedFind& find : named_.finds) {
    if (is_answer(find.part) || find.secret_class != SecretClass::session_id) continue;
    if (rules_.rule(find.rule).scope == Scope::body_pattern) continue;
    if (first != nullptr && *first != find.value) return false;
    first = &find.value;
  }
  return true;
}

void ScrubPass::find_echoes() {
  LiteralIndex index;
  std::vector<std::string_view> literals;
  std::map<std::size_t, std::unordered_set<std::string_view>> short_ones;  // by length
  std::unordered_set<std::string_view> values;
  for (const NamedFind& find : named_.finds) {
    if (!is_answer(find.part) || !values.insert(find.value).second) continue;
    if (find.value.size() < LiteralIndex::shortest) {
      short_ones[find.value.size()].insert(find.value);
    } else {
      index.add(find.value, static_cast<std::uint32_t>(literals.size()));
      literals.push_back(find.value);
    }
  }
  const auto look = [&](std::string_view text) {
    index.search(text, [&](std::size_t, std::uint32_t id) { echoes_.emplace(literals[id]); });
    for (const auto& [length, wanted] : short_ones) {
      for (std::size_t at = 0; at + length <= text.size(); ++at) {
        if (wanted.contains(text.substr(at, length))) echoes_.emplace(text.substr(at, length));
      }
    }
  };
  for (const Part part : {Part::request_target, Part::request_headers, Part::request_body}) {
    const std::string_view text = texts_[part];
    const std::string decoded = decode_text(Codec::form, text);
    for (const std::string& view : {decoded, decode_text(Codec::form, decoded), decode_text(Codec::json, decoded)}) {
      if (view != text) look(view);
    }
    look(text);
  }
}

void ScrubPass::drop_replaced() {
  // Existing placeholders are not values. Text beside a placeholder within a value is still searched.
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
    piece.value = std::string(texts_[find.part].substr(at, end - at));
    piece.encoding.clear();
    finds.push_back(std::move(piece));
  };
  if (rules_.rule(find.rule).yields) return;  // the first pass has already handled it
  for (; row != rows.end() && row->offset < find.end; ++row) {
    add_piece(row->offset);
    at = row->offset + row->length;
  }
  add_piece(find.end);
}

void ScrubPass::drop_known_in_patterns(const SecretSearch& search) {
  // The search decodes only twice, so finds that are encoded more often stay.
  constexpr std::size_t most_levels = 2;
  std::erase_if(named_.finds, [&](const NamedFind& find) {
    return rules_.rule(find.rule).scope == Scope::body_pattern && search.occurs_plainly(find.value) &&
           find.encoding.size() <= most_levels;
  });
}

bool ScrubPass::holds_unconfirmed(const LearnedSecrets& learned, bool in_answer) const {
  return std::any_of(named_.finds.begin(), named_.finds.end(), [&](const NamedFind& find) {
    if (is_answer(find.part) != in_answer || !rules_.rule(find.rule).learn) return false;
    return in_answer ? !learned.knows(find.value) : !learned.searches(find.value);
  });
}

void ScrubPass::learn(LearnedSecrets& learned) {
  confirmation_.is_echo = [this](std::string_view value) { return echoes_.contains(std::string(value)); };
  note_finds(rules_, named_, learned, confirmation_);
  echoes_.clear();
  for (const std::string& value : carried_tickets_) {
    if (!learned.is_offered_ticket(value)) continue;
    static_cast<void>(learned.note(value, SecretClass::token, Learning::confirmed));
  }
  for (const std::string& value : offered_tickets_) learned.offer_ticket(value);
}

/// Returns true if the device accepted a request that has neither a session nor credentials.
bool ScrubPass::is_permitted_without_session(const InteractionRecord& record) const {
  if (record.response.status < 200 || record.response.status >= 300) return false;
  if (session_find(false) != nullptr || record.request.headers.contains("Authorization")) return false;
  const auto verdict = api::verdict(texts_[Part::response_body]);  // last, because it parses the body
  return !verdict || verdict->success;
}

void ScrubPass::find_tickets(const InteractionRecord& record, const api::Call* call) {
  offered_tickets_ = offered_tickets(texts_[Part::response_body]);
  if (is_permitted_without_session(record)) carried_tickets_ = carried_tickets(record.request, call);
}

/// Returns the precedence of a session ID, or nothing for another value.
std::optional<int> ScrubPass::precedence_of(const NamedFind& find) const {
  const ScrubRule& rule = rules_.rule(find.rule);
  if (find.secret_class != SecretClass::session_id || rule.scope == Scope::body_pattern) return std::nullopt;
  const bool is_cookie = rule.scope == Scope::cookie;
  if (!is_answer(find.part) && (is_cookie || rule.scope == Scope::parameter)) {
    const api::IdPlace place = is_cookie ? api::IdPlace::cookie : api::IdPlace::parameter;
    const auto order =
        api::id_precedence(place, rule.match, find.value, http::split_target(texts_[Part::request_target]).path);
    if (order || rule.shipped) return order;
  }
  constexpr int as_parameter = 1, behind_all = 100;
  return is_cookie ? behind_all : as_parameter;
}

/// Returns the find with the session ID of the request or response. Parameters and bodies take precedence over cookies.
const NamedFind* ScrubPass::session_find(bool in_answer) const {
  const NamedFind* best = nullptr;
  int best_order = 0;
  for (const NamedFind& find : named_.finds) {
    const auto order = is_answer(find.part) == in_answer ? precedence_of(find) : std::nullopt;
    if (!order || (best != nullptr && best_order <= *order)) continue;
    best = &find;
    best_order = *order;
  }
  return best;
}

void ScrubPass::give_session_values(LearnedSecrets& learned) {
  for (const NamedFind& find : named_.finds) {
    const bool answer = is_answer(find.part);
    switch (find.secret_class) {
      case SecretClass::csrf_token:
      case SecretClass::device_id:
      case SecretClass::task_id:
        if (answer || !learned.has_owner(find.id, scope_number_)) learned.give(find.id, session_);
        break;
      case SecretClass::session_id:
        // A login response may contain two different session IDs, one in the body and one in a cookie.
        if (answer && context_.is_login() && !learned.has_owner(find.id, scope_number_))
          learned.give(find.id, session_);
        break;
      default:
        break;
    }
  }
}

void ScrubPass::number(LearnedSecrets& learned, std::uint32_t session_so_far) {
  scope_number_ = learned.scope_of(scope_, run_);
  session_ = session_so_far;
  const NamedFind* found = context_.is_login() ? session_find(true) : nullptr;
  if (found == nullptr) found = session_find(false);
  if (session_ == 0 && found != nullptr) session_ = learned.session_of(found->id, scope_number_);
  give_session_values(learned);
  for (const NamedFind& find : named_.finds) {
    if (find.secret_class == SecretClass::account && context_.is_login() && account_ == 0) {
      account_ = learned.number_of(find.id);
    }
    static_cast<void>(learned.describe(find.id, session_, scope_number_));
  }
}

void ScrubPass::forget_bodies(InteractionRecord& record) {
  std::erase_if(named_.finds, [](const NamedFind& find) { return is_body(find.part); });
  named_.finds.shrink_to_fit();
  for (const Part part : {Part::request_body, Part::response_body}) {
    texts_.forget(part);
    fixed_[index_of(part)].clear();
    set_text(record, part, {});
  }
}

void ScrubPass::search_part(const LearnedSecrets& learned, Part part, std::size_t begin, std::size_t end,
                            bool may_be_usual) {
  constexpr std::size_t shortest = 4;
  if (end - begin < shortest) return;
  const std::string_view text = texts_[part].substr(begin, end - begin);
  const TextKind kind{part, context_.is_call() && !is_answer(part), part == Part::request_body && is_form_,
                      may_be_usual};
  SearchHits hits(most_hits + 1);
  learned.search().search(text, hits, structure_test(learned, text, kind));
  if (hits.is_full()) {
    if (!is_body(part)) throw std::runtime_error("too many secrets in the head");
    too_many_hits_ = true;
    return;
  }
  for (SearchHit& hit : hits.take()) {
    spots_[index_of(part)].push_back({begin + hit.begin, begin + hit.end, hit.value, std::move(hit.encoding),
                                      std::string(learned.is_accepted(hit.value) ? rule_of_accepted : rule_of_learned),
                                      false, false});
  }
}

// Searches each header name and value separately, so that no find contains a line end or colon.
void ScrubPass::search_header_lines(const LearnedSecrets& learned, Part part) {
  for (const HeaderLine& line : header_lines(texts_[part])) {
    const std::string_view name = texts_[part].substr(line.begin, line.name_end - line.begin);
    search_part(learned, part, line.begin, line.name_end, true);
    search_part(learned, part, line.value, line.end, base::equal_no_case(name, "Content-Type"));
  }
}

void ScrubPass::search(const LearnedSecrets& learned) {
  if (learned.searched() == 0) return;
  for (const Part part : {Part::request_target, Part::request_body, Part::response_reason, Part::response_body}) {
    search_part(learned, part, 0, texts_[part].size());
  }
  search_header_lines(learned, Part::request_headers);
  search_header_lines(learned, Part::response_headers);
}

bool ScrubPass::replaces(Part part) const {
  const std::size_t index = index_of(part);
  return !fixed_[index].empty() || !spots_[index].empty() ||
         std::any_of(named_.finds.begin(), named_.finds.end(),
                     [part](const NamedFind& find) { return find.part == part && find.begin < find.end; });
}

bool ScrubPass::keeps_structure(Part part, bool is_form) const {
  if (!replaces(part)) return true;
  Ranges before, after;
  for (const Redaction& row : fixed_[index_of(part)]) before.emplace_back(row.offset, row.offset + row.length);
  const auto structure = structure_of(texts_[part], before, is_form);
  if (!structure) return true;
  Ranges all = before;
  for (const Spot& spot : spots_[index_of(part)]) all.emplace_back(spot.begin, spot.end);
  for (const NamedFind& find : named_.finds) {
    if (find.part == part && find.begin < find.end) all.emplace_back(find.begin, find.end);
  }
  std::sort(all.begin(), all.end());
  for (const auto& [begin, end] : all) {
    if (after.empty() || begin >= after.back().second) {
      after.emplace_back(begin, end);
    } else {
      after.back().second = std::max(after.back().second, end);
    }
  }
  return structure == structure_of(texts_[part], after, is_form);
}

std::size_t ScrubPass::replace_into(InteractionRecord& record, LearnedSecrets& learned) {
  for (NamedFind& find : named_.finds) {
    if (find.begin == find.end) continue;
    spots_[index_of(find.part)].push_back(
        {find.begin, find.end, find.id, std::move(find.encoding), rules_.rule(find.rule).id, true, false});
  }
  const std::size_t rows_before = record.redactions.size();
  replace_in(record, texts_, std::move(spots_), fixed_,
             [&](const Spot& spot) { return learned.describe(spot.value, session_, scope_number_); });
  return record.redactions.size() - rows_before;
}

std::size_t ScrubPass::give_late_ids(InteractionRecord& record, LearnedSecrets& learned) const {
  std::size_t changed = 0;
  for (Redaction& row : record.redactions) {
    const auto id = row.whose == Whose::none ? learned.became_session_id(row.secret_class, row.ordinal) : std::nullopt;
    if (!id) continue;
    const Redaction now = learned.describe(*id, session_, scope_number_);
    row.whose = now.whose;
    row.owner = now.owner;
    row.ordinal = now.ordinal;
    ++changed;
  }
  return changed;
}

}  // namespace tapedeck::scrubbers
