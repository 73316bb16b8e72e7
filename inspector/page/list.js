// The requests, live: only the rows that can be seen are in the document.

import { button, duration, element, fill, shown, time } from './elements.js';
import { filterBar, fits } from './filter.js';
import { store } from './store.js';

const height = 30; // pixels of a row; style.css has the same
const spare = 12; // rows above and below what can be seen

let paused = null; // the rows as they were when somebody paused
let follows = true;

export const title = ({ api, method, version, verb, key }) => (api ? `${api}/${version}/${method}` : key || verb || '');

const className = (outcome) => outcome.replaceAll(' ', '-');

function line(row) {
  if (row.gap) {
    return element('div', { class: 'row gap', role: 'listitem' }, `Requests ${row.gap.from} to ${row.gap.to} are no longer kept.`);
  }
  return element('div', { class: `row ${className(row.outcome)}`, role: 'listitem' },
    element('span', { class: 'number' }, String(row.number)),
    element('time', {}, time(store.startedAt + row.at_us / 1000)),
    element('span', { class: 'scope' }, shown(row.scope, 80)),
    element('span', { class: 'session' }, shown(row.session, 80)),
    element('span', { class: 'outcome' }, row.outcome),
    element('a', { class: 'call', href: `#/requests/${row.number}`, id: `row-${row.number}` }, shown(title(row), 300)),
    element('span', { class: 'status' }, `${row.status || ''} ${row.code ? `error ${row.code}` : ''}`),
    element('span', { class: 'duration' }, duration(row.duration_us)));
}

/** The rows in the document, by number: what stays visible is moved, not made anew. */
class Sheet {
  place = element('div', { class: 'sheet', role: 'list', 'aria-label': 'Requests' });
  #made = new Map();

  show(rows, first, last) {
    const wanted = new Map(rows.slice(first, last).map((row, i) => [row.number, { row, top: (first + i) * height }]));
    for (const [number, made] of this.#made) {
      if (wanted.has(number)) continue;
      made.remove();
      this.#made.delete(number);
    }
    let before = null;
    for (const [number, { row, top }] of [...wanted].reverse()) {
      let made = this.#made.get(number);
      if (!made) {
        made = line(row);
        this.#made.set(number, made);
        this.place.insertBefore(made, before);
      }
      made.style.setProperty('transform', `translateY(${top}px)`);
      before = made;
    }
    this.place.style.setProperty('height', `${rows.length * height}px`);
  }
}

export function listView(place, signal) {
  const sheet = new Sheet();
  const scroller = element('div', { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': 'Requests' }, sheet.place);
  const count = element('p', { class: 'quiet', role: 'status' });
  const pause = button('Pause', togglePause, { 'aria-pressed': String(paused !== null) });
  const followed = button('Follow', toggleFollow, { 'aria-pressed': String(follows) });
  const bar = filterBar(refilter);
  let rows = [];
  let looked = { from: 0, to: 0 }; // numbers that `rows` was made of

  function togglePause() {
    paused = paused === null ? [...store.rows] : null;
    pause.setAttribute('aria-pressed', String(paused !== null));
    refilter();
  }
  function toggleFollow() {
    follows = !follows;
    followed.setAttribute('aria-pressed', String(follows));
    update();
  }
  function refilter() {
    looked = { from: 0, to: 0 };
    rows = [];
    update();
  }

  /** What came since the last look is added, what has gone is taken away. */
  function look(all) {
    const oldest = all[0]?.number ?? Infinity;
    if (all.length === 0 || oldest < looked.from) {
      rows = [];
      looked = { from: 0, to: 0 };
    }
    const gone = rows.findIndex((row) => row.number >= oldest);
    if (gone !== 0) rows.splice(0, gone < 0 ? rows.length : gone);
    let fresh = all.length;
    while (fresh > 0 && all[fresh - 1].number > looked.to) --fresh;
    for (const row of all.slice(fresh)) {
      if (fits(row)) rows.push(row);
    }
    if (all.length > 0) looked = { from: oldest, to: all.at(-1).number };
  }

  function draw() {
    const first = Math.max(0, Math.floor(scroller.scrollTop / height) - spare);
    sheet.show(rows, first, Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / height) + spare));
  }

  function update() {
    const all = paused ?? store.rows;
    look(all);
    bar.update();
    count.textContent = all.length === 0 ? '' : `${rows.length} of ${all.length}${paused ? ', paused' : ''}`;
    empty.hidden = all.length > 0;
    nothing.hidden = all.length === 0 || rows.length > 0;
    draw();
    if (follows && !paused) scroller.scrollTop = scroller.scrollHeight;
  }

  /** Arrows go from row to row. */
  function step(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = rows.findIndex((row) => `row-${row.number}` === document.activeElement.id);
    if (!by || at < 0 || !rows[at + by]) return;
    event.preventDefault();
    if (follows) toggleFollow();
    scroller.scrollTop = Math.min(Math.max(scroller.scrollTop, (at + by + 2) * height - scroller.clientHeight), (at + by) * height);
    draw();
    document.getElementById(`row-${rows[at + by].number}`)?.focus({ preventScroll: true });
  }

  const url = store.state?.url ?? 'the server';
  const empty = element('p', { class: 'empty' }, 'No request yet. Point a client at ', element('code', {}, url), ' and it shows here.');
  const nothing = element('p', { class: 'empty' }, 'No request fits the filter.');
  scroller.addEventListener('scroll', draw, { passive: true });
  scroller.addEventListener('keydown', step);
  store.addEventListener('change', update, { signal });
  addEventListener('resize', draw, { signal });
  fill(place,
    element('h2', { class: 'unseen' }, 'Requests'),
    element('div', { class: 'tools', role: 'search' }, bar.elements, pause, followed, button('Clear', () => store.clear()), count),
    empty, nothing, scroller);
  update();
}
