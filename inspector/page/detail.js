// One request: what was asked, why it got its answer, and the answer.

import { bodyView } from './answer.js';
import { get } from './control.js';
import { curl } from './curl.js';
import { button, date, duration, element, facts, fill, shown, status, table } from './elements.js';
import { title } from './list.js';
import { nearestView } from './nearest.js';
import { offers } from './overlay_form.js';
import { store } from './store.js';

const explained = {
  recorded: 'A cassette has this call.',
  overlay: 'A hand-written answer lies over what is recorded.',
  builtin: 'Nothing is recorded for it; the server made up an answer of the kind that every device gives.',
  fallback: 'Nothing is recorded for it; the specification says enough to make up an answer.',
  miss: 'Nothing could answer.',
  withheld: 'What came could not be scrubbed with certainty, or was too long: its body is not in the cassette.',
  broken: 'The answer did not come whole. It is in the cassette and never played.',
  'not recorded': 'It was not stored in time.',
};

function why(entry, recording) {
  return facts([
    ['Time', date(store.startedAt + entry.at_us / 1000)],
    ['Duration', duration(entry.duration_us)],
    ['Session', entry.session],
    ['Scope', entry.scope],
    ['Key', entry.key],
    ['Overlay', entry.overlay],
    ['Recording', recording ? `${recording.id} in ${recording.cassette}, take ${recording.take}, lane ${recording.lane}` : entry.recording],
    ['Recorded', recording && date(recording.recorded_us / 1000)],
    ['In its sequence', entry.position === undefined ? '' : `${entry.position + 1} of ${entry.of}`],
    ['Not exact', entry.match],
    ['Part of a compound', entry.part === undefined ? '' : `${entry.part + 1}`],
    ['Status', entry.status || ''],
    ['Error code', entry.code || ''],
    ['Why', entry.reason],
  ]);
}

function pairs(list, label) {
  return table(['Name', 'Value'], list.map(({ name, value }) => [name, value]), label);
}

function askedView({ asked, entry }) {
  if (!asked) return element('p', { class: 'quiet' }, 'What was asked beside the key is no longer kept.');
  return element('section', { 'aria-label': 'What was asked' },
    element('h3', {}, 'What was asked'),
    facts([['Path', asked.path], ['Verb', entry.verb], ['Left out of the key', asked.left_out.join(', ')]]),
    asked.parameters.length > 0 && pairs(asked.parameters, 'Parameters'),
    asked.headers.length > 0 && element('details', {}, element('summary', {}, `Headers (${asked.headers.length})`), pairs(asked.headers, 'Request headers')));
}

export async function answerView(answer, next) {
  if (!answer) return element('p', { class: 'quiet' }, 'There was no answer, or it is no longer kept.');
  return element('section', { 'aria-label': 'The answer' },
    element('h3', {}, `The answer: ${answer.status} ${shown(answer.reason, 80)}`),
    answer.headers.length > 0 && element('details', {}, element('summary', {}, `Headers (${answer.headers.length})`), pairs(answer.headers, 'Answer headers')),
    answer.body.bytes > 0 ? await bodyView(answer.body, next) : element('p', { class: 'quiet' }, 'No body.'));
}

function again(entry) {
  const command = curl(entry);
  const { place, said } = status();
  return element('section', { 'aria-label': 'Ask again' }, element('h3', {}, 'Ask again'), element('pre', {}, shown(command)),
    element('p', {}, button('Copy as curl', () => said(navigator.clipboard.writeText(command), 'Copied.'))), place);
}

export async function detailView(place, signal, number) {
  let seen;
  try {
    seen = await get(`/requests/${number}`);
  } catch (error) {
    if (error.status !== 404) throw error;
    fill(place, element('p', { class: 'empty' }, `Request ${number} is no longer kept. `, element('a', { href: '#/requests' }, 'All requests')));
    return;
  }
  const { entry, recording, answer } = seen;
  const next = async (from) => (await get(`/requests/${number}?from=${from}`)).answer.body;
  const answered = await answerView(answer, next);
  if (signal.aborted) return;
  fill(place,
    element('p', { class: 'steps' }, element('a', { href: '#/requests' }, '← All requests'),
      number > 1 && element('a', { href: `#/requests/${number - 1}` }, 'Earlier'), element('a', { href: `#/requests/${number + 1}` }, 'Later')),
    element('h2', { tabindex: '-1', id: 'title' }, `${number}: `, shown(title(entry), 500)),
    element('p', { class: `outcome-line ${entry.outcome.replaceAll(' ', '-')}` }, element('strong', { class: 'outcome' }, entry.outcome), ' ', explained[entry.outcome] ?? ''),
    why(entry, recording),
    entry.outcome === 'miss' && seen.nearest && nearestView(seen),
    askedView(seen),
    answered,
    !store.state?.learned && offers(seen),
    again(entry));
  document.getElementById('title').focus({ preventScroll: true });
}
