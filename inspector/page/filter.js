// Which requests are shown.

import { element, shown } from './elements.js';
import { store } from './store.js';

const chosen = { text: '', outcome: '', api: '', scope: '', session: '' };
const labels = { outcome: 'Outcome', api: 'API', scope: 'Scope', session: 'Session' };
const every = { outcome: 'every outcome', api: 'every API', scope: 'every scope', session: 'every session' };

export function fits(row) {
  if (row.gap) return Object.values(chosen).every((value) => value === '');
  for (const name of Object.keys(labels)) {
    if (chosen[name] && row[name] !== chosen[name]) return false;
  }
  const text = chosen.text.toLowerCase();
  return !text || [row.key, row.api, row.method, row.reason, row.match, row.overlay].some((part) => part?.toLowerCase().includes(text));
}

function choice(name, changed) {
  const made = element('select', { id: `filter-${name}`, onchange: () => { chosen[name] = made.value; changed(); } },
    element('option', { value: '' }, every[name]));
  let known = 0;
  /** Adds what was seen since: an open list is left as it is. */
  const update = () => {
    const values = [...store.values[name]];
    for (const value of values.slice(known)) made.append(element('option', { value, selected: value === chosen[name] }, shown(value, 60)));
    known = values.length;
    made.parentElement?.toggleAttribute('hidden', known === 0);
  };
  return { made: element('span', { class: 'choice' }, element('label', { for: `filter-${name}` }, labels[name]), made), update };
}

/** The controls; `changed` is called when another choice was made. */
export function filterBar(changed) {
  const search = element('input', { id: 'search', type: 'search', placeholder: 'API, method, key, reason', value: chosen.text,
    oninput: () => { chosen.text = search.value; changed(); } });
  const choices = Object.keys(labels).map((name) => choice(name, changed));
  return {
    elements: [element('span', { class: 'choice' }, element('label', { for: 'search' }, 'Filter'), search), choices.map(({ made }) => made)],
    update: () => choices.forEach(({ update }) => update()),
  };
}
