#include "replay/thread_state.h"

#include <algorithm>
#include <utility>

namespace tapedeck::replay {

void ThreadState::begin_with_newest(const TapeShelf& shelf) {
  if (!newest || newest->version != shelf.version()) {
    auto found = shelf.newest();
    // What a request's text means depends on what stands in front of paths.
    if (newest && newest->base_paths != found->base_paths) memo = RequestMemo(memo_bytes_);
    newest = std::move(found);
  }
  if (playing != newest) play(newest);
}

void ThreadState::play(std::shared_ptr<const Tapes> tapes) {
  if (playing == tapes) return;
  playing = std::move(tapes);
  decks.clear();
  first_with_.clear();
  std::erase_if(made_, [](const Made& made) { return made.edition->is_over.load(); });
  for (const auto& edition : playing->editions) {
    decks.push_back(deck_of(edition, static_cast<std::uint32_t>(decks.size())));
  }
}

std::size_t ThreadState::first_with(const api::RequestKey& key) {
  if (decks.size() < 2) return 0;
  if (const std::size_t* known = first_with_.find(std::string_view(key.text))) return *known;
  const auto found = std::find_if(decks.begin(), decks.end(), [&](const auto& deck) { return deck->has(key); });
  const auto place = static_cast<std::size_t>(found - decks.begin());
  return *first_with_.insert(key.text, place, 2 * key.text.size() + 128);
}

std::shared_ptr<Deck> ThreadState::deck_of(const std::shared_ptr<Edition>& edition, std::uint32_t number) {
  for (const Made& made : made_) {
    if (made.edition == edition) return made.deck;
  }
  DeckOptions options = common_;
  options.number = number;
  options.edition = edition->id;
  options.scopes = edition->scopes.get();
  options.usage = edition->usage.get();
  made_.push_back({edition, std::make_shared<Deck>(reader_of(edition), options)});
  return made_.back().deck;
}

}  // namespace tapedeck::replay
