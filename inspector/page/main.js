// Selects the open view.

import { takeToken } from './control.js';
import { element, emptyState, fill, shown } from './elements.js';
import { startHeader } from './header.js';
import { overlaysView } from './overlays.js';
import { recordingView } from './recording.js';
import { recordingsView } from './recordings.js';
import { requestsView } from './requests.js';
import { rulesView } from './rules.js';
import { sessionsView } from './sessions.js';
import { startShortcuts } from './shortcuts.js';
import { store } from './store.js';

const place = document.getElementById('view');
const views = { requests: requestsView, recordings: recordingsView, overlays: overlaysView, rules: rulesView, sessions: sessionsView, recording: recordingView };
const whileRecording = ['requests', 'recording'];
let open = { name: '', ends: new AbortController() };

const failed = (signal) => (error) => {
  if (!signal.aborted) fill(place, emptyState('This view cannot be shown', element('p', {}, shown(error.message))));
};

/** Opens the view in the address. Within the requests only the details change, and the list stays. */
function showView() {
  const [, name, number] = /^#\/(\w+)(?:\/(\d+))?$/.exec(location.hash) ?? [null, 'requests'];
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === `#/${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const show = views[name] ?? requestsView;
  if (open.show !== show || !open.view) {
    open.ends.abort();
    open = { show, ends: new AbortController() };
    open.view = show(place, open.ends.signal);
  }
  const { ends: { signal }, view } = open;
  Promise.resolve(view).then((made) => made?.go?.(number === undefined ? undefined : Number(number))).catch(failed(signal));
}

function showLinks() {
  if (!store.state) return;
  for (const link of document.querySelectorAll('nav a')) {
    const name = link.getAttribute('href').slice(2);
    link.hidden = store.isRecording ? !whileRecording.includes(name) : name === 'recording' && !store.records;
  }
}

/** Waits until the server's state is loaded, because views depend on it. */
function start() {
  let isKnown = false;
  startHeader();
  startShortcuts((event) => open.view?.key?.(event) ?? false);
  store.addEventListener('change', () => {
    showLinks();
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
  fill(place, emptyState('This page needs its link', element('p', {}, 'Open the link that Tapedeck printed when it started: it ends in #token=….')));
}
