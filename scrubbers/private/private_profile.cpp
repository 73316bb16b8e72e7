#include "scrubbers/private/private_profile.h"

#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "base/digest.h"
#include "base/text.h"
#include "base/toml_file.h"
#include "scrubbers/private/private_names.h"
#include "scrubbers/private/private_pass.h"
#include "scrubbers/private/private_search.h"
#include "scrubbers/private/private_shapes.h"
#include "scrubbers/private/private_values.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

Pseudonyms pseudonyms_of(const PrivateOptions& options) {
  if (!options.table) return Pseudonyms(base::random_bytes(32));
  Pseudonyms pseudonyms(options.table->key);
  for (const PrivateTable::Row& row : options.table->rows) pseudonyms.take(row);
  return pseudonyms;
}

RuleSet rule_set(const std::vector<PrivateRule>& rules) {
  RuleSet set = RuleSet::none();
  for (const PrivateRule& one : rules) set.add(one.rule);
  return set;
}

/// Undoes an encoding. Returns nothing if a part of it cannot be undone here.
std::optional<std::string> decoded(std::string_view text, const Encoding& encoding) {
  std::string plain(text);
  for (const EncodingStep& step : encoding) {
    const std::optional<Codec> codec = codec_of(step.form);
    if (!codec) return std::nullopt;
    plain = decode_text(*codec, plain);
  }
  return plain;
}

class Pieces {
 public:
  Pieces(const Pseudonyms& pseudonyms, std::span<const std::size_t> brought)
      : pseudonyms_(pseudonyms), brought_(brought) {}

  /// Returns the original of a whole text, or else restores the pieces between the first separators of `marks` that
  /// occur in it, recursively.
  [[nodiscard]] std::string restored(std::string_view text, std::size_t level = 0) const {
    static constexpr std::string_view marks[] = {",;", " ", "/\\", "@", ":=", "."};
    if (const auto place = pseudonyms_.index_of_pseudonym(text);
        place && std::binary_search(brought_.begin(), brought_.end(), *place)) {
      return pseudonyms_.original(*place, text);
    }
    while (level < std::size(marks) && text.find_first_of(marks[level]) == std::string_view::npos) ++level;
    if (level == std::size(marks)) return std::string(text);
    std::string made;
    while (true) {
      const std::size_t end = std::min(text.find_first_of(marks[level]), text.size());
      made += restored(text.substr(0, end), level + 1);
      if (end == text.size()) return made;
      made += text[end];
      text.remove_prefix(end + 1);
    }
  }

 private:
  const Pseudonyms& pseudonyms_;
  std::span<const std::size_t> brought_;
};

}  // namespace

struct PrivateProfile::Impl {
  explicit Impl(PrivateOptions options)
      : pseudonyms(pseudonyms_of(options)),
        kinds(private_rules()),
        rules(rule_set(kinds)),
        values(pseudonyms, [this](std::string_view text) { return stays(text); }) {
    for (const std::string& one : options.keep) keep.insert(base::fold(one));
    frozen = options.frozen;
    for (const std::string& one : options.replace) static_cast<void>(pseudonyms.of_text(one));
    if (frozen) pseudonyms.freeze();
    look_for_new();
  }

  [[nodiscard]] bool stays(std::string_view text) const {
    return (!keep.empty() && keep.contains(base::fold(text))) || (frozen && pseudonyms.is_pseudonym(text));
  }
  /// Adds the pseudonyms that were given since the last call to the search.
  void look_for_new() {
    const std::vector<std::string>& spellings = pseudonyms.spellings();
    for (; searched < spellings.size(); ++searched) {
      if (!stays(spellings[searched])) search.add(spellings[searched]);
    }
  }

  [[nodiscard]] PrivatePass::Tools tools() { return {rules, kinds, values, pseudonyms, search, ordinals}; }

  mutable std::mutex mutex;
  std::unordered_set<std::string> keep;
  bool frozen = false;
  Pseudonyms pseudonyms;
  std::vector<PrivateRule> kinds;  ///< parallel to `rules`
  CompiledRules rules;
  PrivateValues values;
  PrivateSearch search;
  std::size_t searched = 0;  ///< number of pseudonym spellings in the search
  std::map<std::string, std::uint32_t> ordinals;
};

PrivateProfile::PrivateProfile(PrivateOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
PrivateProfile::~PrivateProfile() = default;

void PrivateProfile::learn_account(std::string_view name) {
  const std::lock_guard lock(impl_->mutex);
  static_cast<void>(impl_->values.replaced(PrivateKind::name, name));
  impl_->look_for_new();
}

bool PrivateProfile::apply(InteractionRecord& record) {
  const std::lock_guard lock(impl_->mutex);
  PrivatePass pass(impl_->tools(), record);
  pass.find();
  impl_->look_for_new();
  pass.search();
  return pass.replace_into(record);
}

std::string PrivateProfile::applied(std::string_view text) {
  const std::lock_guard lock(impl_->mutex);
  return replaced_in_text(text, impl_->pseudonyms, impl_->search);
}

std::uint64_t PrivateProfile::generation() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->search.size();
}

PrivateTable PrivateProfile::table() const {
  const std::lock_guard lock(impl_->mutex);
  return {impl_->pseudonyms.key(), impl_->pseudonyms.entries()};
}

PrivateProfile::Brought PrivateProfile::exchange(http::Request& request) {
  const std::lock_guard lock(impl_->mutex);
  InteractionRecord record;
  record.request = request;
  const auto call = api::Call::from(request);
  PrivatePass pass(impl_->tools(), record);
  static_cast<void>(impl_->pseudonyms.take_requested());
  pass.find();
  pass.search();
  const bool is_login = call && call->name().rest.starts_with("API.Auth");
  if (pass.replace_into(record) && !is_login) request = std::move(record.request);
  Brought brought = impl_->pseudonyms.take_requested();
  std::sort(brought.begin(), brought.end());
  brought.erase(std::unique(brought.begin(), brought.end()), brought.end());
  return brought;
}

std::string PrivateProfile::pseudonym_of(std::string_view value) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->values.replaced(PrivateKind::name, value).value_or(std::string(value));
}

std::string PrivateProfile::written_back(std::string_view stored, const Encoding& encoding,
                                         std::span<const std::size_t> brought) const {
  const std::lock_guard lock(impl_->mutex);
  const std::optional<std::string> plain = brought.empty() ? std::nullopt : decoded(stored, encoding);
  if (!plain) return std::string(stored);
  // Paths, mail addresses, and hosts are read piece by piece.
  const std::string restored = Pieces(impl_->pseudonyms, brought).restored(*plain);
  return restored == *plain ? std::string(stored) : encode(restored, encoding);
}

void apply_private(const base::TomlFile& file, PrivateOptions& options) {
  constexpr std::size_t most_texts = 20'000;  // each takes several kilobytes in the search
  const toml::table* const table = file.table("private");
  if (table == nullptr) return;
  for (const auto& [key, node] : *table) {
    if (key.str() != "keep" && key.str() != "replace") file.unknown_key(key, "`private`", "keep, replace");
    std::vector<std::string>& list = key.str() == "keep" ? options.keep : options.replace;
    for (std::string& one : file.texts(key.str(), node)) {
      if (one.empty()) file.fail(node.source(), "an empty text is in every value");
      list.push_back(std::move(one));
      if (list.size() > most_texts) file.fail(node.source(), "more than " + std::to_string(most_texts) + " texts");
    }
  }
}

}  // namespace tapedeck::scrubbers
