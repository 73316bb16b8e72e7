#include "scrubbers/private/private_profile.h"

#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "base/digest.h"
#include "base/text.h"
#include "scrubbers/private/private_names.h"
#include "scrubbers/private/private_pass.h"
#include "scrubbers/private/private_search.h"
#include "scrubbers/private/private_shapes.h"
#include "scrubbers/private/private_values.h"
#include "scrubbers/private/write_back.h"

namespace tapedeck::scrubbers {
namespace {

Pseudonyms pseudonyms_of(const PrivateOptions& options) {
  if (!options.table) return Pseudonyms(base::random_bytes(32));
  Pseudonyms pseudonyms(options.table->key);
  for (const PrivateTable::Row& row : options.table->rows) pseudonyms.take({row.original, row.pseudonym, row.is_text});
  return pseudonyms;
}

RuleSet rule_set(const std::vector<PrivateRule>& rules) {
  RuleSet set = RuleSet::none();
  for (const PrivateRule& one : rules) set.add(one.rule);
  return set;
}

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
  PrivatePass pass({impl_->rules, impl_->kinds, impl_->values, impl_->pseudonyms, impl_->search, impl_->ordinals},
                   record);
  pass.find();
  impl_->look_for_new();
  pass.search();
  const bool changed = pass.replace_into(record);
  return changed;
}

std::string PrivateProfile::applied(std::string_view text) {
  const std::lock_guard lock(impl_->mutex);
  std::string made = replaced_in_text(text, impl_->pseudonyms, impl_->search);
  return made;
}

std::uint64_t PrivateProfile::generation() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->search.size();
}

std::uint64_t PrivateProfile::given() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->pseudonyms.entries().size();
}

PrivateTable PrivateProfile::table() const {
  const std::lock_guard lock(impl_->mutex);
  PrivateTable table;
  table.key = impl_->pseudonyms.key();
  for (const Pseudonyms::Entry& entry : impl_->pseudonyms.entries()) {
    table.rows.push_back({entry.original, entry.pseudonym, entry.is_text});
  }
  return table;
}

PrivateProfile::Brought PrivateProfile::exchange(http::Request& request) {
  const std::lock_guard lock(impl_->mutex);
  InteractionRecord record;
  record.request = request;
  const auto call = api::Call::from(request);
  PrivatePass pass({impl_->rules, impl_->kinds, impl_->values, impl_->pseudonyms, impl_->search, impl_->ordinals},
                   record);
  static_cast<void>(impl_->pseudonyms.take_asked());
  pass.find();
  pass.search();
  const bool is_login = call && call->name().rest.starts_with("API.Auth");
  if (pass.replace_into(record) && !is_login) request = std::move(record.request);
  Brought brought = impl_->pseudonyms.take_asked();
  std::sort(brought.begin(), brought.end());
  brought.erase(std::unique(brought.begin(), brought.end()), brought.end());
  return brought;
}

std::string PrivateProfile::pseudonym_of(std::string_view value) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->values.replaced(PrivateKind::name, value).value_or(std::string(value));
}

std::string PrivateProfile::written_back(std::string_view stored, std::string_view encoding,
                                         std::span<const std::size_t> brought) const {
  const std::lock_guard lock(impl_->mutex);
  return scrubbers::written_back(stored, encoding, impl_->pseudonyms, brought);
}

}  // namespace tapedeck::scrubbers
