#include "scrubbers/scrubber.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>

#include "api/json_spans.h"
#include "api/request_params.h"
#include "api/session_request.h"
#include "base/digest.h"
#include "base/text.h"
#include "http/message/multipart.h"
#include "http/message/urlencoded.h"
#include "scrubbers/header_checks.h"
#include "scrubbers/login_holes.h"
#include "scrubbers/own_text.h"
#include "scrubbers/private/private_shapes.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/rules/stored_headers.h"
#include "scrubbers/scrub_pass.h"
#include "scrubbers/search/learned_secrets.h"
#include "scrubbers/text/decode.h"
#include "scrubbers/text/key_files.h"
#include "scrubbers/withheld.h"

namespace tapedeck::scrubbers {
namespace {

// An interaction in the pipeline. It is either new, with decoded bodies and selected headers, or stored and already
// scrubbed once.
struct Draft {
  InteractionRecord record;    ///< without the request, which is in the AnalyzedRequest
  std::string answer_problem;  ///< why the response body cannot be kept
  /// For a new response: the body as received, for the digest of a withheld one.
  std::optional<std::string_view> wire_body;
  bool has_own_numbers = false;  ///< this scrubber has numbered its values
};

void decode_into(const http::Headers& headers, std::string_view body, std::size_t most, std::string& decoded,
                 std::string& problem, BodyEnd end = BodyEnd::whole) {
  DecodedBody result = decode_body(headers, body, most, end);
  if (result.ok && !has_readable_charset(headers, result.body)) {
    result = {false, {}, "text in an unsupported charset"};
  }
  if (result.ok) {
    decoded = std::move(result.body);
  } else {
    problem = std::move(result.problem);
  }
}

// Sets the scope, run, times, and stream events of a record. Event ends in an encoded body do not apply to the decoded
// body, so they are dropped.
void place_in_time(InteractionRecord& record, const api::Interaction& interaction) {
  record.scope = interaction.scope;
  record.run = interaction.run;
  record.started_us = interaction.started_us;
  record.first_byte_us = interaction.first_byte_us;
  record.ended_us = interaction.ended_us;
  if (!interaction.response.headers.contains("Content-Encoding")) record.events = interaction.events;
}

Draft draft_of(const api::Interaction& interaction, const AnalyzedRequest& seen, std::size_t most) {
  Draft draft;
  draft.wire_body = interaction.response.body;
  InteractionRecord& record = draft.record;
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
                draft.answer_problem, interaction.ended_by_client ? BodyEnd::anywhere : BodyEnd::whole);
  }
  return draft;
}

/// Returns the position of the separator after the first `most` ones, or npos.
std::size_t place_of_too_many(std::string_view text, std::string_view separator, std::size_t most) {
  std::size_t at = text.find(separator);
  for (std::size_t count = 0; at != std::string_view::npos && count < most; ++count) {
    at = text.find(separator, at + separator.size());
  }
  return at;
}

/// Cuts a body that has too many parameters or parts, because each costs a hundred times its size. Returns true if it
/// was cut. The values before the cut are still learned.
bool cut_to_pieces(http::Request& request) {
  if (request.body.size() <= Scrubber::most_pieces) return false;
  const auto boundary = http::multipart_boundary(request.headers);
  const bool is_form = http::is_form(request.headers) || (!boundary && request.body.size() <= api::longest_sniffed);
  if (!is_form && !boundary) return false;
  const std::string separator = is_form ? "&" : "--" + *boundary;
  // N parameters have N - 1 separators `&`; N parts have N + 1 boundary lines.
  const std::size_t most = is_form ? Scrubber::most_pieces - 1 : Scrubber::most_pieces + 1;
  const std::size_t end = place_of_too_many(request.body, separator, most);
  if (end == std::string::npos) return false;
  request.body.resize(end);
  if (!is_form) request.body += separator + "--";
  request.body.shrink_to_fit();
  return true;
}

bool has_too_many_calls(const api::Call& call) {
  return call.is_compound() && place_of_too_many(call.value("compound").value_or(std::string_view()), "{",
                                                 Scrubber::most_pieces) != std::string_view::npos;
}

void drop_rows(InteractionRecord& record, Part part) {
  std::erase_if(record.redactions, [part](const Redaction& row) { return row.part == part; });
}

// Returns the body with placeholders blanked out.
std::string outside_of_rows(std::string text, const std::vector<Redaction>& rows, Part part) {
  for (const Redaction& row : rows) {
    if (row.part == part) text.replace(row.offset, row.length, row.length, ' ');
  }
  return text;
}

// Removes the whole response except its status and Content-Type.
void strip_answer(InteractionRecord& record) {
  record.response.body.clear();
  record.events.clear();
  record.response.headers = safe_headers(record.response.headers);
  drop_rows(record, Part::response_headers);
  drop_rows(record, Part::response_body);
}

constexpr const char* not_understood = "a request body that could not be parsed";
constexpr const char* too_many_secrets = "too many secrets in one message";
constexpr const char* holds_a_secret = "a file that contains a secret and cannot be changed";
constexpr const char* loses_structure = "a body that would lose its structure";
constexpr const char* shows_a_place = "a picture that says where it was taken";

// The reason why an interaction is withheld; empty if it is kept.
struct Verdict {
  std::string reason;
  bool drops_request = false;  ///< the request body is also removed
};

}  // namespace

struct Scrubber::Impl {
  explicit Impl(ScrubberOptions given)
      : options(std::move(given)),
        rules(options.rules),
        policy(options.key_policy),
        digest_key(base::random_bytes(32)),
        header_key(options.account_key.value_or(random_account_key())),
        accounts(header_key) {}

  void analyze(const http::Request& request, AnalyzedRequest& seen) const;
  void see_stored(InteractionRecord& record, AnalyzedRequest& seen) const;
  void find_named_secrets(AnalyzedRequest& seen) const;

  bool scrub(Draft& draft, AnalyzedRequest&& seen);
  bool run(ScrubPass& pass, Draft& draft, const std::string& request_problem);
  void note_account(InteractionRecord& record, const std::string& name);
  [[nodiscard]] bool exchange_private(Draft& draft) const;
  [[nodiscard]] Verdict judge(const ScrubPass& pass, const InteractionRecord& record,
                              const std::string& request_problem) const;
  [[nodiscard]] bool hides_a_secret(const ScrubPass& pass, Part part, const http::Headers& headers) const;
  [[nodiscard]] bool file_holds_a_secret(std::string_view file) const;
  [[nodiscard]] bool cuts_a_secret(const http::Headers& headers, std::string_view body) const;
  [[nodiscard]] bool shows_place(std::string_view body) const { return options.profile && holds_position(body); }
  void learn_headers(const InteractionRecord& record, const CallContext& context);
  void keep_nothing_but_status(Draft& draft) const;

  ScrubberOptions options;
  CompiledRules rules;
  api::KeyPolicy policy;
  std::string digest_key;
  // Guards `learned` and `accounts`. Searches lock it shared, because they do not conflict with each other.
  mutable std::shared_mutex mutex;
  LearnedSecrets learned;
  const std::uint64_t header_key;    ///< for add_header_checks()
  AccountNames accounts;             ///< guarded by `mutex`
  std::uint64_t only_for_login = 0;  ///< ScrubStats::only_for_login
};

void Scrubber::Impl::analyze(const http::Request& request, AnalyzedRequest& seen) const {
  http::Request& head = seen.request;
  head = {request.method, request.target, request.minor_version, stored_request_headers(request.headers), {}};
  const bool is_packed = !request.body.empty() && request.headers.contains("Content-Encoding");
  const std::size_t most = is_packed && options.room_for_request
                               ? std::min(options.max_decoded, options.room_for_request())
                               : options.max_decoded;
  decode_into(request.headers, request.body, most, head.body, seen.problem);
  if (cut_to_pieces(head)) seen.problem = not_understood;
  seen.call = api::Call::from(head, options.base_path);
  if (seen.call && has_too_many_calls(*seen.call)) {
    seen.call.reset();
    seen.problem = not_understood;
  }
  if (seen.problem.empty()) seen.effect = api::WriteGuard::effect(head, seen.call, options.base_path);
  find_named_secrets(seen);
  if (seen.problem.empty() && !seen.finds.understood) seen.problem = not_understood;
}

/// Like analyze(), for a request that already contains placeholders.
void Scrubber::Impl::see_stored(InteractionRecord& record, AnalyzedRequest& seen) const {
  seen.request = std::move(record.request);
  seen.effect = record.effect;
  seen.call = api::Call::from(seen.request, options.base_path);
  find_named_secrets(seen);
  if (seen.finds.understood) return;
  // Placeholders are blanked out, because their words may look like names of secrets.
  const std::string body = outside_of_rows(seen.request.body, record.redactions, Part::request_body);
  if (rules.mentions_parameter(body, seen.context)) seen.problem = not_understood;
}

/// Finds secrets by name.
void Scrubber::Impl::find_named_secrets(AnalyzedRequest& seen) const {
  seen.context = CallContext(seen.request, seen.call);
  try {
    const Texts texts(seen.request);
    NamedFinder(rules, seen.context, texts, seen.finds, seen.effect == api::Effect::write)
        .request(seen.request.headers);
  } catch (const std::exception&) {
    seen.searched = false;
  }
}

namespace {

/// Returns the account of a login. The response has it if the request is encrypted.
std::string account_of(const http::Request& request, const api::Call* call, std::string_view body) {
  if (std::string sent = api::login_account(request, call); !sent.empty()) return sent;
  const auto data = api::json_member(body, "data");
  const auto name = data ? api::json_member(*data, "account") : std::nullopt;
  if (!name || name->size() < 2 || name->front() != '"') return {};
  return decode_text(Codec::json, name->substr(1, name->size() - 2));
}

}  // namespace

/// Scrubs new and stored interactions. Returns true if anything changed.
bool Scrubber::Impl::scrub(Draft& draft, AnalyzedRequest&& seen) {
  InteractionRecord& record = draft.record;
  record.request = std::move(seen.request);
  const std::string request_problem = std::move(seen.problem);
  bool changed = true;
  try {
    if (!seen.searched) throw std::runtime_error("the request was not searched");
    if (!draft.answer_problem.empty()) record.reason = draft.answer_problem;
    const bool is_withheld = !draft.answer_problem.empty() || record.completeness == api::Completeness::withheld;
    if (draft.wire_body && is_withheld) {
      learn_headers(record, seen.context);
      withhold(record, *draft.wire_body, std::string(record.reason), digest_key);
      strip_answer(record);
    }
    const bool names_account = draft.wire_body && seen.context.is_login();
    const std::optional<api::Call> call = std::move(seen.call);
    const std::string account =
        names_account ? account_of(record.request, call ? &*call : nullptr, record.response.body) : std::string();
    ScrubPass pass(rules, record, std::move(seen));
    pass.find_in_answer(record);
    if (draft.wire_body) pass.find_tickets(record, call ? &*call : nullptr);
    changed = run(pass, draft, request_problem);
    if (!account.empty()) note_account(record, account);
    if (exchange_private(draft)) changed = true;
  } catch (const std::exception&) {
    keep_nothing_but_status(draft);
  }
  if (changed) record.key = key_of(record, policy, options.base_path, holes_of(record));
  return changed;
}

/// Adds the check values to the first login of an account.
void Scrubber::Impl::note_account(InteractionRecord& record, const std::string& name) {
  if (record.account == 0 || options.profile) return;
  const std::unique_lock lock(mutex);
  if (accounts.add(record.account, name)) record.account_checks = accounts.checks();
}

/// Replaces private data. Of a withheld interaction, only the target and the remaining headers are left.
bool Scrubber::Impl::exchange_private(Draft& draft) const {
  return options.profile != nullptr && options.profile->apply(draft.record);
}

/// Runs all steps of a pass, each under the lock that it needs.
bool Scrubber::Impl::run(ScrubPass& pass, Draft& draft, const std::string& request_problem) {
  InteractionRecord& record = draft.record;
  bool request_is_unconfirmed = false, response_is_unconfirmed = false;
  {
    const std::shared_lock lock(mutex);
    pass.drop_known_in_patterns(learned.search());
    request_is_unconfirmed = pass.holds_unconfirmed(learned, false);
    response_is_unconfirmed = pass.holds_unconfirmed(learned, true);
  }
  if (request_is_unconfirmed) pass.read_confirmation(record);
  if (response_is_unconfirmed) pass.find_echoes();
  {
    const std::unique_lock lock(mutex);
    if (draft.wire_body) learned.reserve_name(record.scope);
    pass.learn(learned);
    pass.number(learned, record.session);
  }
  // Too many hits would need too much memory: about a hundred bytes for each of a million places.
  const bool loses_bodies = draft.wire_body && (!request_problem.empty() || pass.too_many());
  if (loses_bodies) pass.forget_bodies(record);
  Verdict verdict;
  {
    const std::shared_lock lock(mutex);
    pass.search(learned);
    if (draft.wire_body && !record.scope.empty()) record.scope = scrub_scope_name(record.scope, learned);
    verdict = judge(pass, record, request_problem);
  }
  const bool was_withheld = record.completeness == api::Completeness::withheld;
  const bool withholds = !verdict.reason.empty();
  if (withholds) withhold(record, draft.wire_body.value_or(pass.text(Part::response_body)), verdict.reason, digest_key);
  const bool drops_request = verdict.drops_request && !record.request.body.empty();
  std::size_t added = 0;
  const http::Headers request_headers = record.request.headers;
  {
    const std::unique_lock lock(mutex);
    added = pass.replace_into(record, learned);
    if (draft.has_own_numbers) added += pass.give_late_ids(record, learned);
    if (added > 0 && has_login_hole(record)) ++only_for_login;
  }
  if (!options.profile) add_header_checks(record, request_headers, header_key);
  record.session = pass.session();
  if (record.account == 0) record.account = pass.account();
  if (withholds) strip_answer(record);
  if (drops_request) {
    record.request.body.clear();
    drop_rows(record, Part::request_body);
  }
  return draft.wire_body || added > 0 || (withholds && !was_withheld) || drops_request;
}

Verdict Scrubber::Impl::judge(const ScrubPass& pass, const InteractionRecord& record,
                              const std::string& request_problem) const {
  // If the request is unreadable, it is unknown whether the response repeats its secrets.
  if (!request_problem.empty()) return {request_problem, true};
  if (pass.too_many()) return {too_many_secrets, true};
  if (hides_a_secret(pass, Part::request_body, record.request.headers)) return {holds_a_secret, true};
  if (shows_place(pass.text(Part::request_body))) return {shows_a_place, true};
  if (!pass.keeps_structure(Part::request_body, http::is_form(record.request.headers))) return {loses_structure, true};
  if (record.completeness == api::Completeness::withheld) return {};
  if (!pass.keeps_structure(Part::response_body, false)) return {loses_structure, false};
  if (hides_a_secret(pass, Part::response_body, record.response.headers)) return {holds_a_secret, false};
  constexpr int partial_content = 206;
  const std::string_view body = pass.text(Part::response_body);
  if (shows_place(body)) return {shows_a_place, false};
  if (record.response.status == partial_content && cuts_a_secret(record.response.headers, body)) {
    return {"a part of a file that contains a part of a secret", false};
  }
  const bool ends_anywhere = record.completeness == api::Completeness::broken || record.ended_by_client;
  const bool is_cut = ends_anywhere && learned.search().ends_in_part_of_a_value(body);
  return is_cut ? Verdict{"a response that ends within a secret", false} : Verdict{};
}

/// Returns true if a compressed file or key container, alone or in an upload, may contain a known value or private key.
/// A placeholder inside would make such a file invalid.
bool Scrubber::Impl::hides_a_secret(const ScrubPass& pass, Part part, const http::Headers& headers) const {
  const std::string_view body = pass.text(part);
  if (is_key_file(body)) return true;
  if (is_compressed_file(body)) return pass.replaces(part) || file_holds_a_secret(body);
  const auto boundary = part == Part::request_body ? http::multipart_boundary(headers) : std::nullopt;
  const auto fields = boundary ? http::parse_multipart(body, *boundary) : std::nullopt;
  if (!fields) return false;
  return std::any_of(fields->begin(), fields->end(), [&](const http::MultipartField& field) {
    const std::string_view content = body.substr(field.content.offset, field.content.length);
    return is_key_file(content) || (is_compressed_file(content) && file_holds_a_secret(content));
  });
}

bool Scrubber::Impl::file_holds_a_secret(std::string_view file) const {
  const auto holds = [this](std::string_view text) {
    return is_key_file(text) || mentions_private_key(text) || learned.search().occurs(text);
  };
  return inspect_compressed_file(file, options.max_decoded, holds) != Inspection::nothing_found;
}

/// Returns true if a 206 response, or one of its multipart ranges, may begin or end inside of a known value. Without
/// valid multipart framing, that cannot be excluded.
bool Scrubber::Impl::cuts_a_secret(const http::Headers& headers, std::string_view body) const {
  const SecretSearch& search = learned.search();
  if (search.is_cut_within_a_value(body)) return true;
  if (!base::fold(http::media_type(headers)).starts_with("multipart/")) return false;
  const auto boundary = http::boundary_of(headers);
  const auto parts = boundary ? http::parse_multipart(body, *boundary) : std::nullopt;
  if (!parts) return !search.empty();
  return std::any_of(parts->begin(), parts->end(), [&](const http::MultipartField& part) {
    return search.is_cut_within_a_value(body.substr(part.content.offset, part.content.length));
  });
}

/// Learns the secrets in the headers of a withheld response, although the headers are not stored.
void Scrubber::Impl::learn_headers(const InteractionRecord& record, const CallContext& context) {
  AnalyzedRequest no_request;
  no_request.context = context;
  ScrubPass pass(rules, record, std::move(no_request));
  pass.find_in_answer(record);
  const std::unique_lock lock(mutex);
  pass.learn(learned);
}

/// Removes everything but the method and the status after a failed search.
void Scrubber::Impl::keep_nothing_but_status(Draft& draft) const {
  InteractionRecord& record = draft.record;
  record.request = {record.request.method, "/", record.request.minor_version, {}, {}};
  record.response.reason = http::reason_phrase(record.response.status);
  record.redactions.clear();
  strip_answer(record);
  record.response.headers = {};
  withhold(record, draft.wire_body.value_or(std::string_view()), "the search for secrets failed", digest_key);
}

Scrubber::Scrubber(ScrubberOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Scrubber::~Scrubber() = default;

std::unique_ptr<AnalyzedRequest> Scrubber::learn(const http::Request& request) {
  auto seen = std::make_unique<AnalyzedRequest>();
  impl_->analyze(request, *seen);
  if (impl_->options.profile) {
    for (const NamedFind& find : seen->finds.finds) {
      if (find.secret_class == SecretClass::account) impl_->options.profile->learn_account(find.value);
    }
  }
  const std::unique_lock lock(impl_->mutex);
  note_finds(impl_->rules, seen->finds, impl_->learned, Confirmation());
  return seen;
}

void Scrubber::teach(std::string_view value, SecretClass secret_class) {
  const std::unique_lock lock(impl_->mutex);
  static_cast<void>(impl_->learned.note(value, secret_class, Learning::given));
}

ScrubbedInteraction Scrubber::scrub(const api::Interaction& interaction) {
  return scrub(interaction, std::move(*learn(interaction.request)));
}

ScrubbedInteraction Scrubber::scrub(const api::Interaction& interaction, AnalyzedRequest&& seen) {
  Draft draft = draft_of(interaction, seen, impl_->options.max_decoded);
  static_cast<void>(impl_->scrub(draft, std::move(seen)));
  return ScrubbedInteraction(std::move(draft.record));
}

Scrubber::Rescrubbed Scrubber::rescrub(InteractionRecord record, Numbers numbers) {
  AnalyzedRequest seen;
  impl_->see_stored(record, seen);
  Draft draft;
  draft.record = std::move(record);
  draft.has_own_numbers = numbers == Numbers::own;
  const bool changed = impl_->scrub(draft, std::move(seen));
  return {ScrubbedInteraction(std::move(draft.record)), changed};
}

void Scrubber::reserve_numbers(std::uint32_t sessions, std::uint32_t accounts) {
  const std::unique_lock lock(impl_->mutex);
  impl_->learned.reserve(sessions, accounts);
}

std::string Scrubber::scrub_text(std::string_view text) const {
  std::string scrubbed;
  {
    const std::shared_lock lock(impl_->mutex);
    scrubbed = scrub_own_text(text, impl_->rules, impl_->learned);
  }
  return impl_->options.profile ? impl_->options.profile->applied(scrubbed) : scrubbed;
}

std::string Scrubber::scrub_scope(std::string_view name) const {
  const std::shared_lock lock(impl_->mutex);
  return scrub_scope_name(name, impl_->learned);
}

void Scrubber::each_learned(const std::function<void(std::string_view value, bool everywhere)>& visit) const {
  const std::shared_lock lock(impl_->mutex);
  impl_->learned.each(visit);
}

std::uint64_t Scrubber::generation() const {
  const std::uint64_t texts = impl_->options.profile ? impl_->options.profile->generation() : 0;
  const std::shared_lock lock(impl_->mutex);
  return 1 + impl_->learned.changes() + texts;
}

ScrubStats Scrubber::stats() const {
  const std::shared_lock lock(impl_->mutex);
  const LearnedSecrets::Counts counts = impl_->learned.counts();
  return {counts.learned,       counts.whole_only,    counts.structural, counts.by_name_only - counts.beyond_limits,
          counts.beyond_limits, impl_->only_for_login};
}

bool Scrubber::hides_private_data() const { return impl_->options.profile != nullptr; }

const RuleSet& Scrubber::rules() const { return impl_->rules.set(); }

}  // namespace tapedeck::scrubbers
