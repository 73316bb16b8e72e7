// Shows the requests live. Only the visible lines are in the document.

import { element, emptyState } from './elements.js';
import { headings } from './columns.js';
import { Lines } from './lines.js';
import { firstRun } from './first_run.js';
import { pins } from './pins.js';
import { line, refreshTime } from './row.js';
import { sorting } from './sorting.js';
import { filter } from './search.js';
import { store } from './store.js';

const heights = { wide: 28, tall: 46 }; // pixels of a line; list.css has the same
const narrow = 1040; // pixels; a narrower list has two lines for each request
const spare = 12; // lines above and below those that can be seen

/** The lines in the document. Those that stay visible are moved, not created again. */
class Sheet {
  place = element('div', { class: 'sheet', role: 'rowgroup' });
  #made = new Map();

  constructor(make) {
    this.make = make;
  }

  /** Shows the lines from `first` to `last`, and touches only those that are new, changed, or elsewhere. */
  show(items, first, last, current, height) {
    const wanted = new Set();
    for (let i = first; i < last; ++i) wanted.add(items[i].id);
    for (const [id, made] of this.#made) {
      if (wanted.has(id)) continue;
      made.place.remove();
      this.#made.delete(id);
    }
    let before = null;
    for (let i = last - 1; i >= first; --i) {
      before = this.#at(items[i], { top: i * height, index: i + 2, isCurrent: i === current }, before);
    }
  }

  /** The link of a line that is in the document. */
  linkOf(item) {
    return this.#made.get(item.id)?.place.querySelector('.call-link');
  }
  refreshTimes() {
    for (const { place } of this.#made.values()) refreshTime(place);
  }

  #at(item, wanted, before) {
    const known = this.#made.get(item.id);
    const isSame = known && known.changes === item.changes && known.item === item;
    const made = isSame ? known : { place: this.make(item), item, changes: item.changes };
    if (made.top !== wanted.top) made.place.style.setProperty('top', `${wanted.top}px`);
    if (made.index !== wanted.index) made.place.setAttribute('aria-rowindex', String(wanted.index));
    if (made.isCurrent !== wanted.isCurrent) made.place.classList.toggle('current', wanted.isCurrent);
    Object.assign(made, wanted);
    if (isSame) return made.place;
    if (known) replace(known.place, made.place);
    else this.place.insertBefore(made.place, before);
    this.#made.set(item.id, made);
    return made.place;
  }
}

/** Replaces `old` by `now` and keeps the focus. */
function replace(old, now) {
  const focused = old.contains(document.activeElement) ? document.activeElement.className : null;
  old.replaceWith(now);
  if (focused !== null) now.querySelector(`.${focused}`)?.focus({ preventScroll: true });
}

const pinnedItems = () => pins.rows.map((row) => ({ id: `p${row.number}`, row, group: { rows: [row] }, isPinned: true, changes: 0 }));

const noneFits = () => emptyState('No requests match the filter', element('p', {}, 'Press Esc in the search field to clear it, or choose another counter above.'));

/** The list of requests. `open(number)` is called when the arrow keys move while the panel shows a request. */
export function requestList(signal) {
  const lines = new Lines((row) => filter.fits(row));
  const sheet = new Sheet((item) => line(item, toggle));
  const place = element('div', { class: 'list' });
  const pinned = new Sheet((item) => line(item, toggle));
  const table = element('div', { class: 'scroller', role: 'table', 'aria-label': 'Requests' }, headings(place, signal), pinned.place, sheet.place);
  const note = element('div', { class: 'note' });
  const view = { place, count: 0, all: 0, follows: true, current: null, step, mark, update, refilter, setFolding, onchange: () => {} };
  let currentIndex = -1;
  let height = heights.wide;
  let sorted = null; // the lines in another order than that of the requests
  pinned.place.classList.add('pinned');
  let kept = pinnedItems();
  const items = () => sorted ?? lines.items;

  function toggle(group) {
    lines.toggle(group);
    view.follows = false;
    update();
  }
  function setFolding(isOn) {
    lines.isFolding = isOn;
    refilter();
  }
  function refilter() {
    lines.reset();
    update();
  }
  /** Adapts the height of the lines and of the whole list. */
  function arrange() {
    const isTall = place.clientWidth > 0 && place.clientWidth < narrow;
    place.classList.toggle('tall', isTall);
    height = isTall ? heights.tall : heights.wide;
    pinned.place.style.setProperty('height', `${kept.length * height}px`);
    sheet.place.style.setProperty('height', `${items().length * height}px`);
  }
  function draw() {
    pinned.show(kept, 0, kept.length, kept.findIndex(({ row }) => row.number === view.current), height);
    const first = Math.max(0, Math.floor(table.scrollTop / height) - spare);
    sheet.show(items(), first, Math.min(items().length, Math.ceil((table.scrollTop + table.clientHeight) / height) + spare), currentIndex, height);
  }
  function showNote(all) {
    const wanted = all === 0 ? 'none' : items().length === 0 ? 'filtered' : '';
    if (note.dataset.shows === wanted) return;
    note.dataset.shows = wanted;
    note.replaceChildren(...(wanted === 'none' ? [firstRun()] : wanted === 'filtered' ? [noneFits()] : []));
    note.hidden = wanted === '';
  }
  function update() {
    const rows = store.paused ?? store.rows;
    const top = Math.floor(table.scrollTop / height);
    const anchor = items()[top];
    lines.update(rows);
    sorted = sorting.isUsual ? null : sorting.apply(rows.filter((row) => !row.gap && filter.fits(row))).map((row) => ({ id: `r${row.number}`, row, group: { rows: [row] }, isInner: false, changes: 0 }));
    currentIndex = view.current === null ? -1 : sorted ? sorted.findIndex(({ row }) => row.number === view.current) : lines.indexOf(view.current);
    Object.assign(view, { count: lines.count, all: rows.length });
    table.setAttribute('aria-rowcount', String(items().length + 1));
    showNote(rows.length);
    arrange();
    stay(anchor, top);
    draw();
    view.onchange();
  }
  /** Scrolls to the end if the list follows, or so that a line stays where it is when lines come or go above it. */
  function stay(anchor, before) {
    if (sorted) return;
    if (view.follows && !store.paused) table.scrollTop = table.scrollHeight;
    else if (anchor && items()[before] !== anchor) {
      const now = items().indexOf(anchor);
      if (now >= 0) table.scrollTop += (now - before) * height;
    }
  }

  /** Scrolls to a line; the list no longer follows. */
  function scrollTo(index) {
    view.follows = false;
    const head = table.querySelector('.head').offsetHeight + pinned.place.offsetHeight;
    table.scrollTop = Math.min(Math.max(table.scrollTop, (index + 2) * height + head - table.clientHeight), Math.max(0, index - 1) * height);
    draw();
  }
  /** Marks the line of the open request, and scrolls to it; null marks none. */
  function mark(number) {
    view.current = number;
    update();
    if (currentIndex >= 0) scrollTo(currentIndex);
    view.onchange();
  }
  /**
   * Moves by some lines: the focus, if it is in the list, and the open request. Returns the number of the line's
   * request.
   */
  function step(by) {
    const focused = document.activeElement?.closest?.('.sheet .row');
    const from = focused ? Number(focused.getAttribute('aria-rowindex')) - 2 : currentIndex;
    let to = from < 0 ? (by > 0 ? 0 : items().length - 1) : from + by;
    while (items()[to]?.row.gap) to += by;
    if (!items()[to]) return null;
    scrollTo(to);
    sheet.linkOf(items()[to])?.focus({ preventScroll: true });
    view.onchange();
    return items()[to].row.number;
  }

  table.addEventListener('scroll', draw, { passive: true });
  table.addEventListener('wheel', (event) => {
    if (event.deltaY >= 0 || !view.follows) return;
    view.follows = false; // somebody reads what came before
    view.onchange();
  }, { passive: true });
  store.addEventListener('change', update, { signal });
  filter.addEventListener('change', refilter, { signal });
  sorting.addEventListener('change', () => {
    table.scrollTop = 0;
    update();
  }, { signal });
  pins.addEventListener('change', () => {
    for (const item of lines.items) ++item.changes;
    kept = pinnedItems();
    update();
  }, { signal });
  const watched = new ResizeObserver(() => {
    arrange();
    stay();
    draw();
  });
  watched.observe(table);
  const clock = setInterval(() => { sheet.refreshTimes(); pinned.refreshTimes(); }, 1000);
  signal.addEventListener('abort', () => {
    clearInterval(clock);
    watched.disconnect();
  });
  place.append(table, note);
  return view;
}
