// Shows the header: the server, its cassette and state, and what happened to the connection.

import { button, element, fill, save, shown } from './elements.js';
import { fileName, many } from './format.js';
import { store } from './store.js';

const connections = {
  connecting: 'Connecting …',
  lost: 'Connection lost. Reconnecting …',
  ended: 'The program has ended. This page keeps what it has.',
  refused: 'This link is no longer valid: the server was restarted. Open the new link that it prints.',
};

/** Offers the entries that the page has, as JSON lines. */
function saveRows() {
  save('journal.jsonl', store.rows.filter((row) => !row.gap).map((row) => `${JSON.stringify(row)}\n`).join(''), 'application/jsonl');
}

function showServer(place) {
  const { command, url, version, cassettes = [], device } = store.state;
  const names = cassettes.map((path) => shown(fileName(path), 80));
  const cassette = names.length === 0 ? 'no cassette' : names.length === 1 ? names[0] : `${names[0]} and ${names.length - 1} more`;
  const isDown = ['lost', 'ended', 'refused'].includes(store.connection);
  const state = isDown ? (store.connection === 'ended' ? 'ended' : 'disconnected') : store.paused ? 'paused' : store.isRecording ? 'recording' : 'live';
  fill(place, element('span', { class: `state ${state}` }, state), ' ',
    element('strong', { title: names.join(', ') || null }, cassette), ' ',
    element('span', { class: 'quiet', title: `tapedeck ${command}, version ${version}` }, element('code', {}, url), device && ` for ${shown(device, 120)}`));
}

/** Keeps the header up to date. */
export function startHeader() {
  let told = '';
  const draw = () => {
    const words = connections[store.connection] ?? '';
    if (told !== words) {
      told = words;
      const isOver = ['ended', 'refused'].includes(store.connection) && store.rows.length > 0;
      fill(document.getElementById('connection'), words && element('span', {}, words), isOver && button(`Download ${many(store.rows.length, 'entry')}`, saveRows));
    }
    document.title = store.counts.miss ? `(${store.counts.miss}) Tapedeck` : 'Tapedeck';
    if (!store.state) return;
    showServer(document.getElementById('server'));
  };
  store.addEventListener('change', draw);
}
