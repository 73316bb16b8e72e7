// Shows sessions and scopes, and resets them.

import { all, get, post } from './control.js';
import { button, element, emptyState, fill, notifyWhen, shown, table } from './elements.js';
import { agoText, title } from './format.js';
import { store } from './store.js';

/** Returns the last request of each session that the page has loaded. */
function lastPlayed() {
  const last = new Map();
  for (const row of store.rows) {
    if (row.session) last.set(row.session, row);
  }
  return (name) => {
    const row = last.get(name);
    return row ? element('span', {}, element('a', { href: `#/requests/${row.number}` }, shown(title(row), 120)), `, ${agoText(store.timeOf(row))}`) : '';
  };
}

export async function sessionsView(place, signal) {
  const act = (path, object, text) => async () => {
    await notifyWhen(post(path, object), text);
    await draw();
  };
  const buttons = (name) => element('span', { class: 'buttons' },
    button('Reset', act('/sessions/reset', { name }, `${name} starts again with the first recorded responses.`), { 'aria-label': `Reset ${shown(name, 200)}` }),
    button('Drop', act('/sessions/drop', { name }, `${name} was removed.`), { 'aria-label': `Drop ${shown(name, 200)}` }));
  const sessions = element('div');
  const scopes = element('div');

  async function draw() {
    const [found, { runs }] = await Promise.all([all('/sessions', 'sessions'), get('/scope')]);
    if (signal.aborted) return;
    const last = lastPlayed();
    fill(sessions, found.length === 0
      ? emptyState('No sessions yet', element('p', {}, 'A login starts a session, and so does a request with a session ID. Any account and password can log in.'))
      : table(['Session', 'Account', 'Kind', 'Scope', 'Last request', ''], found.map((one) => [one.name, one.account ?? '', element('span', { class: 'word' }, one.kind + (one.ended ? ', ended' : '')), one.scope ?? '', last(one.name), buttons(one.name)]), 'Sessions'));
    fill(scopes,
      runs.length === 0 ? element('p', {}, 'No request was in a scope.') : element('ul', { class: 'plain' }, runs.map((name) => element('li', {}, shown(name, 200), ' ', buttons(name)))));
  }

  await draw();
  if (signal.aborted) return;
  fill(place, element('div', { class: 'pad' },
    element('div', { class: 'view-head' }, element('h2', {}, 'Sessions'),
      element('span', { class: 'buttons' }, button('Reset all', act('/sessions/reset', { all: true }, 'All sessions start again.')),
        button('Drop all', act('/sessions/drop', { all: true }, 'All sessions were removed.')), button('Reload', draw))),
    element('p', { class: 'quiet' }, 'Reset lets a session start again: its sequences, counters of overlays, and what its writes changed. Drop also ends it, so that its client has to log in again. Neither changes a cassette.'),
    sessions,
    element('h2', {}, 'Scopes'), scopes));
}
