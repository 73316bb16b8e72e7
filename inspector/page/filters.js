// Shows what the list can be filtered by: a counter for each outcome, and a menu of sessions and scopes.

import { button, element, fill, shown } from './elements.js';
import { className, many, outcomes } from './format.js';
import { menu } from './menu.js';
import { filter } from './search.js';
import { store } from './store.js';

const words = (outcome, count) => (outcome === 'miss' ? many(count, 'miss') : outcome === 'overlay' || outcome === 'fallback' ? many(count, outcome) : `${count.toLocaleString()} ${outcome}`);

/** A counter for each outcome that occurred, and one for all; their sum is the total. Each filters the list. */
export function counters() {
  const place = element('div', { class: 'chips', role: 'group', 'aria-label': 'Outcomes' });
  const known = new Map();
  const choose = (outcome) => {
    if (outcome === undefined) filter.set('outcome');
    else filter.toggle('outcome', outcome);
  };
  const at = (outcome) => {
    const id = outcome ?? 'all';
    if (!known.has(id)) {
      known.set(id, button('', () => choose(outcome), { class: `chip ${className(id)}` }));
      place.replaceChildren(...[undefined, ...outcomes].map((one) => known.get(one ?? 'all')).filter(Boolean));
    }
    return known.get(id);
  };
  const write = (outcome, text, isOn) => {
    const made = at(outcome);
    if (made.textContent !== text) fill(made, element('span', {}, text));
    made.setAttribute('aria-pressed', String(isOn));
  };
  const update = () => {
    write(undefined, many(store.counts.all, 'request'), !filter.hasField('outcome'));
    for (const outcome of outcomes) {
      if (store.counts[outcome]) write(outcome, words(outcome, store.counts[outcome]), filter.has('outcome', outcome));
      else if (known.has(outcome)) known.get(outcome).remove(), known.delete(outcome);
    }
  };
  return { place, update };
}

/** A menu of sessions and scopes with a search, because a suite has hundreds of them. */
export function sessionMenu() {
  const most = 100;
  const list = element('div', { class: 'menu-list', role: 'group', 'aria-label': 'Sessions and scopes' });
  const search = element('input', { type: 'search', id: 'session-search', placeholder: 'Find a session or scope', 'aria-label': 'Find a session or scope', oninput: () => draw() });
  const made = menu('Sessions', [search, list], { opened: () => { draw(); search.focus(); } });
  const all = () => ['session', 'scope'].flatMap((field) => [...store.values[field]].map((value) => ({ field, value, text: field === 'scope' ? `scope ${value}` : value })));
  function draw() {
    const wanted = search.value.toLowerCase();
    const found = all().filter(({ text }) => text.toLowerCase().includes(wanted));
    fill(list, found.slice(0, most).map(({ field, value, text }) => button(shown(text, 80), () => { filter.toggle(field, value); draw(); }, { 'aria-pressed': String(filter.has(field, value)), id: `pick-${field}-${value}` })),
      found.length === 0 && element('p', { class: 'quiet' }, 'None.'), found.length > most && element('p', { class: 'quiet' }, `${found.length - most} more: search for them.`));
  }
  const update = () => {
    const chosen = all().filter(({ field, value }) => filter.has(field, value));
    const text = chosen.length === 0 ? 'Sessions' : chosen.length === 1 ? shown(chosen[0].text, 30) : `${chosen.length} chosen`;
    if (made.toggle.textContent !== text) made.toggle.textContent = text;
    made.toggle.classList.toggle('on', chosen.length > 0);
    made.place.hidden = all().length < 2;
  };
  return { place: made.place, update, end: made.end };
}
