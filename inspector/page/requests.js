// Shows the view of the requests: a toolbar, the list, and the details of one request beside it.

import { button, element } from './elements.js';
import { detailPanel } from './detail.js';
import { counters, sessionMenu } from './filters.js';
import { heldSection } from './held.js';
import { holdForm } from './hold_form.js';
import { requestList } from './list.js';
import { menu } from './menu.js';
import { pins } from './pins.js';
import { filter } from './search.js';
import { sortable, sorting } from './sorting.js';
import { split } from './split.js';
import { store } from './store.js';
import { timeline } from './timeline.js';

const words = { number: 'order', call: 'call', who: 'session', time: 'time' };
const chosen = { follows: true, folds: true, hasTimeline: false };

function searchField() {
  const options = element('datalist', { id: 'search-options' });
  const input = element('input', {
    id: 'search', type: 'search', list: 'search-options', 'aria-label': 'Search', placeholder: 'Search, or outcome:miss', title: 'Press / to search', spellcheck: 'false', autocomplete: 'off',
    value: filter.text, oninput: () => { filter.text = input.value; },
  });
  let known = 0;
  const update = () => {
    if (input.value !== filter.text && (document.activeElement !== input || filter.isEmpty)) input.value = filter.text;
    const values = Object.entries(store.values).flatMap(([field, found]) => [...found].map((value) => `${field}:${/\s/.test(value) ? `"${value}"` : value}`));
    if (values.length === known) return; // an open list is left alone
    known = values.length;
    options.replaceChildren(...values.map((value) => element('option', { value })));
  };
  return { place: element('span', { class: 'search' }, input, options), update };
}

/** `go(number)` shows a request in the panel, or closes the panel without one; `key(event)` handles a shortcut. */
export function requestsView(place, signal) {
  const list = requestList(signal);
  const panel = detailPanel(() => { location.hash = '#/requests'; });
  const both = split(list.place, panel.place);
  const search = searchField();
  const chip = counters();
  const sessions = sessionMenu();
  const times = timeline(signal);
  const count = element('span', { class: 'quiet count', role: 'status' });
  const pressed = (text, title, act) => button(text, act, { 'aria-pressed': 'false', title });
  const fold = pressed('Fold', 'Fold equal requests in a row into one line', () => {
    chosen.folds = !chosen.folds;
    list.setFolding(chosen.folds);
  });
  const pause = pressed('Pause', 'Freeze the list; requests are still counted', () => store.pause(!store.paused));
  const follow = pressed('Follow', 'Scroll to each new request', () => {
    list.follows = !list.follows;
    list.update();
  });
  const lasting = pressed('Timeline', 'Show the requests of the last minutes in time', () => {
    chosen.hasTimeline = !chosen.hasTimeline;
    times.setShown(chosen.hasTimeline);
    list.onchange();
  });
  const order = element('select', { id: 'sort', onchange: () => sorting.choose(order.value) }, sortable.map((value) => element('option', { value }, words[value] ?? value)));
  const hold = store.isRecording ? null : holdForm();
  const view = menu('View', [fold, pause, follow, lasting, button('Clear', () => store.clear(), { title: 'Clear the requests on this page' }), hold && hold.place,
    element('span', { class: 'sort-choice' }, element('label', { for: 'sort' }, 'Sort by '), order)], { collapses: true });

  list.follows = chosen.follows;
  list.onchange = () => {
    chosen.follows = list.follows;
    const text = list.all === 0 ? '' : `${list.count} of ${list.all}${store.paused ? ', paused' : ''}`;
    if (count.textContent !== text) count.textContent = text;
    for (const [made, isOn] of [[pause, store.paused !== null], [follow, list.follows], [fold, chosen.folds], [lasting, chosen.hasTimeline]]) made.setAttribute('aria-pressed', String(isOn));
    order.value = sorting.column;
    search.update();
    chip.update();
    sessions.update();
  };

  async function go(number) {
    panel.place.hidden = number === undefined;
    both.arrange();
    list.mark(number ?? null);
    if (number !== undefined) await panel.open(number);
    else panel.close();
  }
  /** Moves to the next or the previous request, also in the panel if it is open. */
  function step(by) {
    const number = list.step(by);
    if (number !== null && list.current !== null) location.replace(`#/requests/${number}`);
  }
  function key(event) {
    const isInList = list.place.contains(document.activeElement) && !document.activeElement.matches('[role=separator]');
    if (event.key === 'j' || (event.key === 'ArrowDown' && isInList)) step(1);
    else if (event.key === 'k' || (event.key === 'ArrowUp' && isInList)) step(-1);
    else if (event.key === 'Escape' && list.current !== null) {
      const { current } = list;
      location.hash = '#/requests';
      setTimeout(() => document.getElementById(`row-${current}`)?.focus({ preventScroll: true }));
    } else if (event.key === 'p' && list.current !== null && store.row(list.current)) pins.toggle(store.row(list.current));
    else return false;
    return true;
  }

  signal.addEventListener('abort', () => [both, sessions, view, ...(hold ? [hold] : [])].forEach(({ end }) => end()));
  // A request that is opened with the keyboard gets the focus in the panel, so that it can be read.
  list.place.addEventListener('click', (event) => {
    if (event.detail === 0 && event.target.closest('.call-link')) panel.takesFocus = true;
  });
  place.replaceChildren(
    element('h2', { class: 'unseen' }, 'Requests'),
    element('div', { class: 'tools', role: 'search' }, search.place, sessions.place, view.place, chip.place, count),
    heldSection(signal), times.place, both.place);
  times.setShown(chosen.hasTimeline);
  list.setFolding(chosen.folds);
  return { go, key };
}
