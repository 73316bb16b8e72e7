// Explains why a request got its response.

import { button, copyButton, element, facts, shown } from './elements.js';
import { capitalized, date, duration, errorName, fileName } from './format.js';
import { effectForm } from './effects.js';
import { missCard } from './nearest.js';
import { withCode } from './row.js';
import { mockForm } from './overlay_form.js';
import { filter } from './search.js';
import { store } from './store.js';

const explained = {
  recorded: 'The response comes from a recording.',
  overlay: 'The response comes from an overlay, or an overlay changed it.',
  derived: 'An earlier write changed the recorded response, or this write is not recorded and has an effect. Overlays shows what was written.',
  builtin: 'Not recorded: this is a built-in response.',
  fallback: 'Not recorded: the response was generated from the interface specification.',
  miss: 'No recording matches this request.',
  refused: 'The server refused this request because of its Host or Origin.',
  withheld: 'Secrets could not be removed from the response reliably, or it is too long. Its body is not in the cassette.',
  broken: 'The response is incomplete. It is in the cassette but is never replayed.',
  'not recorded': 'The response was not stored in time.',
};
const whileRecording = { recorded: 'The response was stored in the cassette.' };

/** Shows the client's position in the sequence, as text and as a row of marks. */
function position({ position: at, of }) {
  if (at === undefined) return '';
  const mostMarks = 40;
  const marks = of > 1 && of <= mostMarks && element('span', { class: 'marks', 'aria-hidden': 'true' }, Array.from({ length: of }, (_, i) => element('span', { class: i === at ? 'now' : i < at ? 'past' : '' })));
  const atEnd = of > 1 && at + 1 === of ? ', the last one: --at-end decides what follows' : '';
  return element('span', {}, `${at + 1} of ${of}${store.isRecording ? '' : atEnd}`, ' ', marks);
}

const only = (name, field, value) => value && element('span', {}, shown(value, 200), ' ', button('Only these', () => {
  filter.set(field, value.replace(/^session /, ''));
}, { class: 'quiet-button', 'aria-label': `Show only requests of this ${name}` }));

/** Shows a refusal, with the option that would allow the request, for copying. */
function refusal(entry) {
  const option = /(--(?:allow-host|cors) (?:'[^']*'|\S+))/.exec(entry.reason ?? '')?.[1];
  return element('section', { 'aria-label': 'Allow it' },
    element('p', {}, shown(capitalized(entry.reason ?? ''), 500), '.'),
    option && !option.endsWith(' ORIGIN') && element('p', {}, 'To allow it, start the server with ', element('code', {}, shown(option, 300)), ' ', copyButton('Copy option', option)));
}

function factsOf({ entry, recording, asked }) {
  return facts([
    ['Key', element('code', {}, shown(entry.key))],
    ['Left out of the key', asked?.left_out.join(', ')],
    ['In its sequence', position(entry)],
    ['Overlay', entry.overlay && element('a', { href: '#/overlays' }, shown(entry.overlay, 300))],
    ['Not exact', entry.match],
    ['Status', entry.status ? `${entry.status}${entry.code ? `, ${errorName(entry)}` : ''}` : ''],
    ['Reason', ['refused', 'miss'].includes(entry.outcome) ? '' : entry.reason],
    ['Recording', recording ? `${recording.id} in ${fileName(recording.cassette)}, take ${recording.take}, lane ${recording.lane}` : entry.recording],
    ['Recorded', recording && date(recording.recorded_us / 1000)],
    ['Session', only('session', 'session', entry.session)],
    ['Scope', only('scope', 'scope', entry.scope)],
    ['Part of a compound', entry.part === undefined ? '' : String(entry.part + 1)],
    ['Time', date(store.timeOf(entry))],
    ['Duration', duration(entry.duration_us)],
    ['Messages', entry.messages && `${entry.messages.sent} sent, ${entry.messages.received} received, ${entry.messages.different} of these different`],
  ]);
}

/** Returns the sentence that explains the outcome, with the reason of a miss. */
function lead({ outcome, reason }) {
  const words = (store.isRecording && whileRecording[outcome]) || explained[outcome] || '';
  if (outcome !== 'miss' || !reason) return words;
  return [words, ' ', element('span', { class: 'reason' }, withCode(`${capitalized(reason)}.`))];
}

export function whyView(seen) {
  const { entry } = seen;
  const mock = !store.isRecording && entry.outcome !== 'refused' && mockForm(seen);
  const isMiss = entry.outcome === 'miss' && !store.isRecording && seen.nearest;
  const effect = isMiss && seen.effect && effectForm(seen);
  return [
    element('p', { class: 'lead' }, lead(entry)),
    entry.outcome === 'refused' && refusal(entry),
    isMiss && missCard(seen, mock, effect),
    isMiss ? element('details', { class: 'facts' }, element('summary', {}, 'Facts'), factsOf(seen)) : factsOf(seen),
    !isMiss && mock,
  ];
}
