// The cassettes' sequences by API: what was played, and what never was.

import { all, Refused } from './control.js';
import { element, fill, shown } from './elements.js';

function table(list) {
  const cell = (text, name = 'td') => element(name, {}, shown(text, 500));
  return element('table', {},
    element('thead', {}, element('tr', {}, ...['Key', 'Cassette', 'Take', 'Lane', 'Played'].map((name) => element('th', { scope: 'col' }, name)))),
    element('tbody', {}, list.map((one) => element('tr', {}, cell(one.key), cell(one.cassette), cell(one.take), cell(one.lane),
      cell(`${one.played} of ${one.recordings}`)))));
}

function part(name, list, none) {
  return [element('h2', {}, `${name} (${list.length})`), list.length ? table(list) : element('p', { class: 'empty' }, none)];
}

export async function recordingsView(place, signal) {
  fill(place, element('p', { class: 'quiet' }, 'Looking through the cassettes …'));
  try {
    const [unused, unfinished] = await Promise.all([all('/unused', 'sequences'), all('/unfinished', 'sequences')]);
    if (signal.aborted) return;
    fill(place,
      part('Begun and not played to the end', unfinished, 'Every sequence that was begun has been played to its end.'),
      part('Never played', unused, 'Every recording has been played.'));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    fill(place, element('p', { class: 'empty' }, error.status === 404 ? 'There is nothing to play while recording: Requests shows what is stored.' : shown(error.message)));
  }
}
