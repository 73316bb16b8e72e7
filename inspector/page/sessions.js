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
    const [found, { current, runs }] = await Promise.all([all('/sessions', 'sessions'), get('/scope')]);
    if (signal.aborted) return;
    const last = lastPlayed();
    fill(sessions, found.length === 0
      ? emptyState('No sessions yet', element('p', {}, 'A login starts a session, and so does a request with a session ID. Any account and password can log in.'))
      : table(['Session', 'Account', 'Kind', 'Scope', 'Last request', ''], found.map((one) => [one.name, one.account ?? '', element('span', { class: 'word' }, one.kind + (one.ended ? ', ended' : '')), one.scope ?? '', last(one.name), buttons(one.name)]), 'Sessions'));
    fill(scopes,
      element('p', {}, current === null ? 'Requests without a scope name belong to no scope.' : ['Requests without a scope name belong to ', element('strong', {}, shown(current, 200)), '. ', button('End it', act('/scope', { name: null }, 'No scope is current.'))]),
      runs.length > 0 && element('ul', { class: 'plain' }, runs.map((name) => element('li', {}, shown(name, 200), ' ', buttons(name)))));
  }

  const name = element('input', { id: 'scope-name', required: true, maxlength: '1000', placeholder: 'login fails' });
  const begin = (event) => {
    event.preventDefault();
    return act('/scope', { name: encodeURIComponent(name.value) }, `Started scope ${name.value}.`)();
  };
  await draw();
  if (signal.aborted) return;
  fill(place, element('div', { class: 'pad' },
    element('div', { class: 'view-head' }, element('h2', {}, 'Sessions'),
      element('span', { class: 'buttons' }, button('Reset all', act('/sessions/reset', { all: true }, 'All sessions start again.')),
        button('Drop all', act('/sessions/drop', { all: true }, 'All sessions were removed.')), button('Reload', draw))),
    sessions,
    element('h2', {}, 'Scopes'), scopes,
    element('form', { onsubmit: begin, class: 'tools' }, element('label', { for: 'scope-name' }, 'Scope'), name, element('button', { type: 'submit' }, 'Begin'))));
}
