// Which view is open, and what stands above all of them.

import { takeToken } from './control.js';
import { detailView } from './detail.js';
import { element, fill, shown } from './elements.js';
import { listView } from './list.js';
import { overlaysView } from './overlays.js';
import { recordingView } from './recording.js';
import { recordingsView } from './recordings.js';
import { rulesView } from './rules.js';
import { sessionsView } from './sessions.js';
import { store } from './store.js';

const view = document.getElementById('view');
const connections = {
  connecting: 'Connecting …',
  live: '',
  lost: 'The connection is lost; what you see is kept. Trying again …',
  refused: 'This link is no longer good: the server was started again. Open the new link that it prints.',
};
const views = { recordings: recordingsView, overlays: overlaysView, rules: rulesView, sessions: sessionsView, recording: recordingView };
const whileRecording = ['requests', 'recording'];
let open = new AbortController();

function showView() {
  open.abort();
  open = new AbortController();
  const [, name, number] = /^#\/(\w+)(?:\/(\d+))?$/.exec(location.hash) ?? [null, 'requests'];
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === `#/${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const show = views[name] ?? (number ? (place, signal) => detailView(place, signal, Number(number)) : listView);
  const { signal } = open;
  Promise.resolve(show(view, signal)).catch((error) => {
    if (!signal.aborted) fill(view, element('p', { class: 'empty' }, shown(error.message)));
  });
}

function showState() {
  const { state, connection, misses } = store;
  document.title = misses ? `(${misses}) Tapedeck` : 'Tapedeck';
  const words = connections[connection];
  const place = document.getElementById('connection');
  if (place.textContent !== words) place.textContent = words;
  if (!state) return;
  document.getElementById('server').textContent = `${state.command} at ${state.url}, version ${state.version}`;
  for (const link of document.querySelectorAll('nav a')) {
    const name = link.getAttribute('href').slice(2);
    link.hidden = state.learned ? !whileRecording.includes(name) : name === 'recording';
  }
}

/** Waits for what views need to know of the server: one drawn before would be drawn anew, and what was done in it lost. */
function start() {
  let isKnown = false;
  store.addEventListener('change', () => {
    showState();
    if (isKnown || !store.state) return;
    isKnown = true;
    showView();
  });
  addEventListener('hashchange', () => {
    if (/^#token=/.test(location.hash)) location.reload();
    else if (isKnown) showView();
  });
  store.follow();
}

if (takeToken()) {
  start();
} else {
  fill(view, element('p', { class: 'empty' }, 'Open the link that Tapedeck printed when it started: it ends in #token=….'));
}
