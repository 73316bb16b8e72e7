// Shows the header: the server, its cassette and state, and four counters that filter the requests.

import { button, element, fill, shown } from './elements.js';
import { fileName } from './format.js';
import { filter } from './search.js';
import { store } from './store.js';

const connections = {
  connecting: 'Connecting …',
  lost: 'Connection lost. Reconnecting …',
  refused: 'This link is no longer valid: the server was restarted. Open the new link that it prints.',
};

/** `outcomes` are counted together. A click filters for the first one, or removes the filter if there is none. */
const counters = () => [
  { name: 'requests', outcomes: [] },
  { name: 'recorded', outcomes: ['recorded'] },
  store.isRecording ? { name: 'not stored', outcomes: ['withheld', 'broken', 'not recorded'], isTrouble: true } : { name: store.counts.miss === 1 ? 'miss' : 'misses', outcomes: ['miss'], isTrouble: true },
  { name: 'refused', outcomes: ['refused'], isTrouble: true },
];

const countOf = ({ outcomes }) => (outcomes.length === 0 ? store.counts.all : outcomes.reduce((sum, outcome) => sum + (store.counts[outcome] ?? 0), 0));
const isChosen = ({ outcomes }) => (outcomes.length === 0 ? !filter.hasField('outcome') : outcomes.every((outcome) => filter.has('outcome', outcome)));

function choose({ outcomes }, wasChosen) {
  filter.set('outcome');
  if (!wasChosen) for (const outcome of outcomes) filter.toggle('outcome', outcome);
  if (!/^#\/requests/.test(location.hash)) location.hash = '#/requests';
}

function showCounters(place) {
  const all = counters();
  const made = place.children.length === all.length ? [...place.children] : all.map((_, i) => button('', () => choose(counters()[i], isChosen(counters()[i])), { class: 'counter' }));
  if (place.children.length !== all.length) place.replaceChildren(...made);
  all.forEach((one, i) => {
    const count = countOf(one);
    const text = `${count} ${one.name}`;
    made[i].setAttribute('aria-pressed', String(isChosen(one)));
    made[i].classList.toggle('trouble', Boolean(one.isTrouble) && count > 0);
    if (made[i].dataset.text === text) return;
    made[i].dataset.text = text;
    made[i].replaceChildren(element('strong', {}, count.toLocaleString()), ` ${one.name}`);
  });
}

function showServer(place) {
  const { command, url, version, cassettes = [], device } = store.state;
  const names = cassettes.map((path) => shown(fileName(path), 80));
  const cassette = names.length === 0 ? 'no cassette' : names.length === 1 ? names[0] : `${names[0]} and ${names.length - 1} more`;
  const isDown = store.connection === 'lost' || store.connection === 'refused';
  const state = isDown ? 'disconnected' : store.paused ? 'paused' : store.isRecording ? 'recording' : 'live';
  fill(place, element('span', { class: `state ${state}` }, state), ' ',
    element('strong', { title: names.join(', ') || null }, cassette), ' ',
    element('span', { class: 'quiet', title: `tapedeck ${command}, version ${version}` }, element('code', {}, url), device && ` for ${shown(device, 120)}`));
}

/** Keeps the header up to date. */
export function startHeader() {
  const draw = () => {
    const words = connections[store.connection] ?? '';
    const said = document.getElementById('connection');
    if (said.textContent !== words) said.textContent = words;
    document.title = store.counts.miss ? `(${store.counts.miss}) Tapedeck` : 'Tapedeck';
    if (!store.state) return;
    showCounters(document.getElementById('counters'));
    showServer(document.getElementById('server'));
  };
  store.addEventListener('change', draw);
  filter.addEventListener('change', draw);
}
