// The requests, live: only the rows that can be seen are in the document.

import { duration, element, fill, shown, time } from './elements.js';
import { store } from './store.js';

const height = 30; // pixels of a row; style.css has the same
const spare = 12; // rows above and below what can be seen

const filter = { text: '', outcome: '', session: '' };
let paused = null; // the rows as they were when somebody paused
let follows = true;

export const title = ({ api, method, version, verb, key }) => (api ? `${api}/${version}/${method}` : key || verb || '');

function fits(row) {
  if (row.gap) return !filter.text && !filter.outcome && !filter.session;
  if (filter.outcome && row.outcome !== filter.outcome) return false;
  if (filter.session && row.session !== filter.session) return false;
  const text = filter.text.toLowerCase();
  return !text || [row.key, row.api, row.method, row.reason, row.match].some((part) => part?.toLowerCase().includes(text));
}

function code(row) {
  return row.code ? `error ${row.code}` : '';
}

function line(row, top) {
  const place = `transform: translateY(${top}px)`;
  if (row.gap) {
    return positioned(element('div', { class: 'row gap', role: 'listitem' },
      `Requests ${row.gap.from} to ${row.gap.to} are no longer kept.`), place);
  }
  const made = element('a', { class: `row ${row.outcome.replace(' ', '-')}`, role: 'listitem', href: `#/requests/${row.number}`, id: `row-${row.number}` },
    element('span', { class: 'number' }, String(row.number)),
    element('time', {}, time(store.startedAt + row.at_us / 1000)),
    element('span', { class: 'session' }, shown(row.session, 80)),
    element('span', { class: 'outcome' }, row.outcome),
    element('span', { class: 'call' }, shown(title(row), 300)),
    element('span', { class: 'status' }, `${row.status ?? ''} ${code(row)}`),
    element('span', { class: 'duration' }, duration(row.duration_us)));
  return positioned(made, place);
}

/** By the style object: the policy of the page refuses style attributes in markup, and so do we. */
function positioned(made, place) {
  made.style.cssText = place;
  return made;
}

function options(values, chosen, all) {
  return ['', ...values].map((value) => element('option', { value, selected: value === chosen }, value || all));
}

export function listView(place, signal) {
  const scroller = element('div', { class: 'scroller', tabindex: '0', 'aria-label': 'Requests' });
  const sheet = element('div', { class: 'sheet', role: 'list' });
  const count = element('p', { class: 'quiet', role: 'status' });
  const outcome = element('select', { id: 'outcome', onchange: () => change('outcome', outcome.value) });
  const session = element('select', { id: 'session', onchange: () => change('session', session.value) });
  const search = element('input', { id: 'search', type: 'search', placeholder: 'API, method, key, reason', value: filter.text, oninput: () => change('text', search.value) });
  const pause = element('button', { type: 'button', 'aria-pressed': String(paused !== null), onclick: togglePause }, 'Pause');
  const followed = element('button', { type: 'button', 'aria-pressed': String(follows), onclick: toggleFollow }, 'Follow');
  let rows = [];

  function change(name, value) {
    filter[name] = value;
    update();
  }
  function togglePause() {
    paused = paused === null ? [...store.rows] : null;
    pause.setAttribute('aria-pressed', String(paused !== null));
    update();
  }
  function toggleFollow() {
    follows = !follows;
    followed.setAttribute('aria-pressed', String(follows));
    update();
  }

  function draw() {
    const first = Math.max(0, Math.floor(scroller.scrollTop / height) - spare);
    const last = Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / height) + spare);
    fill(sheet, rows.slice(first, last).map((row, i) => line(row, (first + i) * height)));
  }

  function update() {
    const all = paused ?? store.rows;
    rows = all.filter(fits);
    sheet.style.height = `${rows.length * height}px`;
    fill(outcome, options([...new Set(all.map((row) => row.outcome).filter(Boolean))].sort(), filter.outcome, 'every outcome'));
    fill(session, options([...new Set(all.map((row) => row.session).filter(Boolean))].slice(0, 200), filter.session, 'every session'));
    count.textContent = all.length === 0 ? '' : `${rows.length} of ${all.length}${paused ? ', paused' : ''}`;
    empty.hidden = all.length > 0;
    if (follows && !paused) scroller.scrollTop = sheet.offsetHeight;
    draw();
  }

  const empty = element('p', { class: 'empty' }, 'No request yet. Point a client at ',
    element('code', {}, store.state?.url ?? 'the server'), ' and it shows here.');
  scroller.append(sheet);
  scroller.addEventListener('scroll', draw, { passive: true });
  store.addEventListener('change', update, { signal });
  addEventListener('resize', draw, { signal });
  fill(place,
    element('div', { class: 'tools', role: 'search' },
      element('label', { for: 'search' }, 'Filter'), search,
      element('label', { for: 'outcome' }, 'Outcome'), outcome,
      element('label', { for: 'session' }, 'Session'), session,
      pause, followed, element('button', { type: 'button', onclick: () => store.clear() }, 'Clear'), count),
    empty, scroller);
  update();
}
