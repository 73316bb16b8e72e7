#include "scrubbers/scrubber.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>

#include "base/digest.h"
#include "scrubbers/own_text.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/rules/stored_headers.h"
#include "scrubbers/scrub_pass.h"
#include "scrubbers/search/learned_secrets.h"
#include "scrubbers/text/decode.h"

namespace tapedeck::scrubbers {
namespace {

// What is known of an interaction's answer before anything is replaced in it.
struct Draft {
  InteractionRecord record;    ///< body decoded, headers as they are stored; nothing replaced
  std::string answer_problem;  ///< why the answer's body cannot be kept
};

void decode_into(const http::Headers& headers, std::string_view body, std::size_t most, std::string& decoded,
                 std::string& problem) {
  DecodedBody result = decode_body(headers, body, most);
  if (result.ok && !has_readable_charset(headers, result.body)) {
    result = {false, {}, "a text in a charset that is not read"};
  }
  if (result.ok) {
    decoded = std::move(result.body);
  } else {
    problem = std::move(result.problem);
  }
}

// When and within what it was recorded. Where events end in an encoded body says nothing of the decoded one.
void place_in_time(InteractionRecord& record, const api::Interaction& interaction) {
  record.scope = interaction.scope;
  record.run = interaction.run;
  record.started_us = interaction.started_us;
  record.first_byte_us = interaction.first_byte_us;
  record.ended_us = interaction.ended_us;
  if (!interaction.response.headers.contains("Content-Encoding")) record.events = interaction.events;
}

// Takes the head of what was seen.
Draft draft_of(const api::Interaction& interaction, SeenRequest& seen, std::size_t most) {
  Draft draft;
  InteractionRecord& record = draft.record;
  record.request = std::move(seen.head);
  record.effect = seen.effect;
  record.response.status = interaction.response.status;
  record.response.reason = interaction.response.reason;
  record.response.headers = stored_answer_headers(interaction.response.headers);
  record.completeness = interaction.completeness;
  record.reason = interaction.reason;
  place_in_time(record, interaction);
  record.ended_by_client = interaction.ended_by_client;
  if (interaction.completeness != api::Completeness::withheld) {
    decode_into(interaction.response.headers, interaction.response.body, most, record.response.body,
                draft.answer_problem);
  }
  return draft;
}

void drop_rows(InteractionRecord& record, Part part) {
  std::erase_if(record.redactions, [part](const Redaction& row) { return row.part == part; });
}

bool has_rows(const InteractionRecord& record, Part part) {
  return std::any_of(record.redactions.begin(), record.redactions.end(),
                     [part](const Redaction& row) { return row.part == part; });
}

// Lengths of what a key is made of.
struct KeySource {
  explicit KeySource(const Texts& texts)
      : target_bytes(text_of(texts, Part::request_target).size()),
        body_bytes(text_of(texts, Part::request_body).size()) {}
  // True when nothing of it was replaced or withheld. A body's type, which says how it is read, is among the headers.
  [[nodiscard]] bool is_stored_in(const InteractionRecord& record) const {
    const bool whole = record.request.target.size() == target_bytes && record.request.body.size() == body_bytes;
    return whole && !has_rows(record, Part::request_target) && !has_rows(record, Part::request_body) &&
           (body_bytes == 0 || !has_rows(record, Part::request_headers));
  }
  std::size_t target_bytes, body_bytes;
};

}  // namespace

std::vector<api::Hole> holes_of(const InteractionRecord& record) {
  std::vector<api::Hole> holes;
  for (const Redaction& row : record.redactions) {
    if (row.part != Part::request_target && row.part != Part::request_body) continue;
    const auto part = row.part == Part::request_target ? api::RequestPart::target : api::RequestPart::body;
    holes.push_back({part, {row.offset, row.length}, hole_label(row)});
  }
  return holes;
}

struct Scrubber::Impl {
  explicit Impl(ScrubberOptions given)
      : options(std::move(given)),
        rules(options.rules),
        policy(options.key_policy),
        digest_key(base::random_bytes(32)) {}

  void withhold_answer(InteractionRecord& record, std::string_view body, std::string reason) const {
    record.completeness = api::Completeness::withheld;
    record.reason = std::move(reason);
    record.withheld_digest = base::to_hex(base::hmac_sha256(digest_key, body));
    record.withheld_bytes = body.size();
    record.response.body.clear();
    record.events.clear();
    record.response.headers = safe_headers(record.response.headers);
  }

  // Nothing but the method and the status is certain to be clean.
  [[nodiscard]] InteractionRecord nothing_but_status(const Draft& draft, std::string_view body) const {
    InteractionRecord bare;
    bare.request.method = draft.record.request.method;
    bare.request.target = "/";
    bare.response.status = draft.record.response.status;
    bare.response.reason = http::reason_phrase(bare.response.status);
    bare.scope = draft.record.scope;
    bare.run = draft.record.run;
    bare.started_us = draft.record.started_us;
    bare.first_byte_us = draft.record.first_byte_us;
    bare.ended_us = draft.record.ended_us;
    bare.effect = draft.record.effect;
    withhold_answer(bare, body, "the search for secrets failed");
    return bare;
  }

  // True when the body is a compressed file that holds, or might hold, a known value.
  [[nodiscard]] bool hides_a_secret(std::string_view body) const {
    if (!is_compressed_file(body) || learned.search().empty()) return false;
    const auto holds = [this](std::string_view text) { return !learned.search().search(text).empty(); };
    return inspect_compressed_file(body, options.max_decoded, holds) != Inspection::nothing_found;
  }

  void set_key(InteractionRecord& record) const {
    record.key = policy.key(record.request, options.base_path, holes_of(record));
  }

  [[nodiscard]] CallContext context_of(const http::Request& request) const {
    return CallContext(api::Call::from(request, options.base_path));
  }

  void see(const http::Request& request, SeenRequest& seen) const;

  // What a withheld answer's headers hold is learned, though they are not kept.
  void learn_headers(const InteractionRecord& record, const CallContext& context) {
    InteractionRecord heads = record;
    ScrubPass pass(rules, heads, context);
    pass.find_in_answer(heads);
    const std::unique_lock lock(mutex);
    pass.learn(learned);
  }

  InteractionRecord scrub(const api::Interaction& interaction, SeenRequest&& seen);
  void run(ScrubPass& pass, InteractionRecord& record, std::string_view answer_body);

  ScrubberOptions options;
  CompiledRules rules;
  api::KeyPolicy policy;
  std::string digest_key;
  // Guards learned and stats. Searching takes it shared: values may be looked for while none is added.
  mutable std::shared_mutex mutex;
  LearnedSecrets learned;
  ScrubStats stats;
};

void Scrubber::Impl::see(const http::Request& request, SeenRequest& seen) const {
  http::Request& head = seen.head;
  head = {request.method, request.target, request.minor_version, stored_request_headers(request.headers), {}};
  decode_into(request.headers, request.body, options.max_decoded, head.body, seen.problem);
  seen.call = api::Call::from(head, options.base_path);
  if (seen.problem.empty()) seen.effect = api::WriteGuard::effect(head, seen.call, options.base_path);
  seen.context = CallContext(seen.call);
  seen.texts[0] = std::move(head.target);
  seen.texts[1] = head.headers.to_text();
  seen.texts[2] = std::move(head.body);
  try {
    NamedFinder(rules, seen.context, seen.texts, seen.finds).request(head.headers);
  } catch (const std::exception&) {
    seen.searched = false;
  }
  if (seen.problem.empty() && !seen.finds.understood) {
    seen.problem = "a request's body that could not be taken apart";
  }
}

// All steps of a pass over a fresh interaction.
void Scrubber::Impl::run(ScrubPass& pass, InteractionRecord& record, std::string_view answer_body) {
  const bool withheld_before = record.completeness == api::Completeness::withheld;
  {
    const std::shared_lock lock(mutex);
    pass.drop_known_in_patterns(learned.search());
  }
  {
    const std::unique_lock lock(mutex);
    pass.learn(learned);
    pass.number(learned, 0);
    learned.settle();
  }
  bool hidden = false;
  bool cut_within_a_secret = false;
  {
    const std::shared_lock lock(mutex);
    pass.search(learned.search());
    hidden = hides_a_secret(pass.text(Part::response_body)) || hides_a_secret(pass.text(Part::request_body));
    cut_within_a_secret = record.completeness == api::Completeness::broken &&
                          learned.search().ends_in_part_of_a_value(pass.text(Part::response_body));
  }
  const std::unique_lock lock(mutex);
  pass.replace_into(record, learned);
  record.session = pass.session();
  record.account = pass.account();
  if (withheld_before || (!hidden && !cut_within_a_secret)) return;
  withhold_answer(record, answer_body,
                  hidden ? "a compressed file that holds a secret" : "an answer that was cut within a secret");
  drop_rows(record, Part::response_body);
  drop_rows(record, Part::response_headers);
  if (hidden && is_compressed_file(record.request.body)) {
    record.request.body.clear();
    drop_rows(record, Part::request_body);
  }
}

InteractionRecord Scrubber::Impl::scrub(const api::Interaction& interaction, SeenRequest&& seen) {
  Draft draft = draft_of(interaction, seen, options.max_decoded);
  const std::string request_problem = std::move(seen.problem);
  const std::optional<api::Call> call = std::move(seen.call);
  const KeySource sent(seen.texts);
  InteractionRecord& record = draft.record;
  const std::string_view answer_body = interaction.response.body;
  try {
    if (!seen.searched) throw std::runtime_error("the request was not searched");
    if (!draft.answer_problem.empty()) record.reason = draft.answer_problem;
    if (!draft.answer_problem.empty() || record.completeness == api::Completeness::withheld) {
      learn_headers(record, seen.context);
      withhold_answer(record, answer_body, std::string(record.reason));
    }
    ScrubPass pass(rules, record, std::move(seen));
    pass.find_in_answer(record);
    run(pass, record, answer_body);
    if (!request_problem.empty()) {
      // What the answer repeats of such a request nobody can tell either.
      withhold_answer(record, interaction.request.body, request_problem);
      record.request.body.clear();
      for (const Part part : {Part::request_body, Part::response_headers, Part::response_body}) drop_rows(record, part);
    }
  } catch (const std::exception&) {
    record = nothing_but_status(draft, answer_body);
  }
  if (call && sent.is_stored_in(record)) {
    record.key = policy.key(*call);  // it need not be taken apart again
  } else {
    set_key(record);
  }
  return std::move(record);
}

Scrubber::Scrubber(ScrubberOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Scrubber::~Scrubber() = default;

std::unique_ptr<SeenRequest> Scrubber::learn(const http::Request& request) {
  auto seen = std::make_unique<SeenRequest>();
  impl_->see(request, *seen);
  const std::unique_lock lock(impl_->mutex);
  static_cast<void>(note_finds(impl_->rules, seen->finds, impl_->learned));
  return seen;
}

ScrubbedInteraction Scrubber::scrub(const api::Interaction& interaction) {
  return scrub(interaction, std::move(*learn(interaction.request)));
}

ScrubbedInteraction Scrubber::scrub(const api::Interaction& interaction, SeenRequest&& seen) {
  InteractionRecord record = impl_->scrub(interaction, std::move(seen));
  const std::unique_lock lock(impl_->mutex);
  ++impl_->stats.interactions;
  impl_->stats.redactions += record.redactions.size();
  if (record.completeness == api::Completeness::withheld) ++impl_->stats.withheld;
  return ScrubbedInteraction(std::move(record));
}

Scrubber::Rescrubbed Scrubber::rescrub(InteractionRecord record) {
  Impl& impl = *impl_;
  ScrubPass pass(impl.rules, record, impl.context_of(record.request));
  pass.find_named(record);
  {
    const std::shared_lock lock(impl.mutex);
    pass.drop_known_in_patterns(impl.learned.search());
  }
  {
    const std::unique_lock lock(impl.mutex);
    pass.learn(impl.learned);
    pass.number(impl.learned, record.session);
    impl.learned.settle();
  }
  bool hidden = false;
  {
    const std::shared_lock lock(impl.mutex);
    pass.search(impl.learned.search());
    hidden = impl.hides_a_secret(pass.text(Part::response_body));
  }
  bool changed = false;
  {
    const std::unique_lock lock(impl.mutex);
    const std::size_t added = pass.replace_into(record, impl.learned);
    impl.stats.redactions += added;
    changed = added > 0 || hidden;
    if (record.session == 0) record.session = pass.session();
    if (record.account == 0) record.account = pass.account();
  }
  if (hidden) {
    const std::string body = record.response.body;
    impl.withhold_answer(record, body, "a compressed file that holds a secret");
    drop_rows(record, Part::response_body);
    drop_rows(record, Part::response_headers);
  }
  if (changed) impl.set_key(record);
  return {ScrubbedInteraction(std::move(record)), changed};
}

void Scrubber::reserve_numbers(std::uint32_t sessions, std::uint32_t accounts) {
  const std::unique_lock lock(impl_->mutex);
  impl_->learned.reserve(sessions, accounts);
}

std::string Scrubber::scrub_text(std::string_view text) const {
  const std::shared_lock lock(impl_->mutex);
  return scrub_own_text(text, impl_->rules, impl_->learned);
}

void Scrubber::each_learned(const std::function<void(std::string_view value, bool everywhere)>& visit) const {
  const std::shared_lock lock(impl_->mutex);
  impl_->learned.each(visit);
}

std::uint64_t Scrubber::generation() const {
  const std::shared_lock lock(impl_->mutex);
  return impl_->learned.searched();
}

ScrubStats Scrubber::stats() const {
  const std::shared_lock lock(impl_->mutex);
  ScrubStats stats = impl_->stats;
  stats.learned = impl_->learned.learned();
  stats.by_name_only = impl_->learned.by_name_only();
  return stats;
}

const RuleSet& Scrubber::rules() const { return impl_->rules.set(); }

}  // namespace tapedeck::scrubbers
