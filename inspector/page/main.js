// Which view is open, and what stands above all of them.

import { takeToken } from './control.js';
import { detailView } from './detail.js';
import { element, fill, shown } from './elements.js';
import { listView } from './list.js';
import { recordingsView } from './recordings.js';
import { sessionsView } from './sessions.js';
import { store } from './store.js';

const view = document.getElementById('view');
const connections = {
  connecting: 'Connecting …',
  live: '',
  lost: 'The connection is lost; what you see is kept. Trying again …',
  refused: 'This link is no longer good: the server was started again. Open the new link that it prints.',
};
let open = new AbortController();

function showView() {
  open.abort();
  open = new AbortController();
  const [, name, number] = /^#\/(\w+)(?:\/(\d+))?$/.exec(location.hash) ?? [null, 'requests'];
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === `#/${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const views = {
    requests: () => (number ? detailView(view, open.signal, Number(number)) : listView(view, open.signal)),
    recordings: () => recordingsView(view, open.signal),
    sessions: () => sessionsView(view, open.signal),
  };
  Promise.resolve((views[name] ?? views.requests)()).catch((error) => fill(view, element('p', { class: 'empty' }, shown(error.message))));
}

function showState() {
  const { state, connection, misses } = store;
  document.title = misses ? `(${misses}) Tapedeck` : 'Tapedeck';
  document.getElementById('connection').textContent = connections[connection];
  if (state) document.getElementById('server').textContent = `${state.command} at ${state.url}, version ${state.version}`;
}

if (takeToken()) {
  store.addEventListener('change', showState);
  addEventListener('hashchange', showView);
  showView();
  store.follow();
} else {
  fill(view, element('p', { class: 'empty' }, 'Open the link that Tapedeck printed when it started: it ends in #token=….'));
}
