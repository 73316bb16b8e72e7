// The cassettes' sequences by API: what was played, and what never was; the answers of one.

import { answerView } from './detail.js';
import { all, get } from './control.js';
import { button, date, duration, element, facts, fill, shown, size, table } from './elements.js';

const apiOf = (key) => (/^[\w.-]+\/[^/]*\/[^/?]*(\?|$)/.test(key) ? key.slice(0, key.indexOf('/')) : 'No API call');

function words({ played, recordings, finished }) {
  if (played === 0) return 'never played';
  return `${played} of ${recordings} played${finished ? '' : ', not to its end'}`;
}

async function recordingView(place, id) {
  const shownAnswer = await get(id);
  const { answer, asked, recording } = shownAnswer;
  fill(place,
    facts([['Recording', recording.id], ['Recorded', date(recording.recorded_us / 1000)], ['It took', duration(recording.took_us)], ['Session', recording.session], ['Redactions', recording.redactions]]),
    asked.parameters.length > 0 && table(['Parameter', 'Value'], asked.parameters.map(({ name, value }) => [name, value]), 'Parameters'),
    await answerView(answer, async (from) => (await get(`${id}&from=${from}`)).answer.body));
}

/** One sequence; its answers are asked for when it is opened. */
function sequence(one) {
  const inside = element('div', { class: 'inside' });
  const answer = element('div');
  const query = `/recordings?cassette=${one.place}`;
  const open = async () => {
    if (!made.open || inside.hasChildNodes()) return;
    inside.append(element('p', { class: 'quiet' }, 'Looking …'));
    const { answers } = await asked(`${query}&key=${encodeURIComponent(one.key)}&take=${one.take}&lane=${one.lane}${one.scope ? `&scope=${encodeURIComponent(one.scope)}` : ''}`);
    fill(inside,
      element('ol', { class: 'plain' }, answers.map((line, i) => element('li', {},
        button(`${i + 1}. ${line.id}`, () => recordingView(answer, `${query}&id=${line.id}`)), ' ',
        [line.status, line.code ? `error ${line.code}` : '', size(line.bytes), line.played ? 'played' : 'not played', line.completeness === 'complete' ? '' : line.completeness, shown(line.reason ?? '', 200)].filter(Boolean).join(', ')))),
      answer);
  };
  /** What cannot be had is said in its place. */
  const asked = (path) => get(path).catch((error) => {
    fill(inside, element('p', { class: 'empty' }, shown(error.message)));
    throw error;
  });
  const made = element('details', { ontoggle: () => open().catch(() => {}) }, element('summary', {}, shown(one.key, 500), ' ',
    element('span', { class: one.played === 0 ? 'unplayed' : 'quiet' }, `${words(one)}; ${one.scope ? `scope ${shown(one.scope, 100)}, ` : ''}take ${one.take}, lane ${one.lane}`)), inside);
  return made;
}

const chosen = { text: '', unplayed: false };

export async function recordingsView(place, signal) {
  fill(place, element('p', { class: 'quiet' }, 'Looking through the cassettes …'));
  const sequences = await all('/recordings', 'sequences');
  if (signal.aborted) return;
  const list = element('div');
  const count = element('p', { role: 'status', class: 'quiet' });
  const search = element('input', { id: 'recording-search', type: 'search', value: chosen.text, oninput: () => { chosen.text = search.value; draw(); } });
  const unplayed = element('input', { id: 'unplayed', type: 'checkbox', checked: chosen.unplayed, onchange: () => { chosen.unplayed = unplayed.checked; draw(); } });

  function draw() {
    const fitting = sequences.filter((one) => (!chosen.unplayed || one.played === 0) && one.key.toLowerCase().includes(chosen.text.toLowerCase()));
    const groups = Map.groupBy ? Map.groupBy(fitting, ({ key }) => apiOf(key)) : fitting.reduce((map, one) => map.set(apiOf(one.key), [...(map.get(apiOf(one.key)) ?? []), one]), new Map());
    const never = sequences.filter(({ played }) => played === 0).length;
    count.textContent = `${fitting.length} of ${sequences.length} sequences; ${never} never played, ${sequences.filter((one) => one.played > 0 && !one.finished).length} not to their ends`;
    fill(list, sequences.length === 0
      ? element('p', { class: 'empty' }, 'No cassette is played: give one, or make one with tapedeck record.')
      : [...groups].map(([api, ones]) => element('section', { 'aria-label': api }, element('h3', {}, shown(api, 200)), ones.map(sequence))));
  }
  fill(place, element('h2', {}, 'Recordings'),
    element('div', { class: 'tools', role: 'search' }, element('label', { for: 'recording-search' }, 'Filter'), search,
      unplayed, element('label', { for: 'unplayed' }, 'only what was never played'), button('Look again', () => recordingsView(place, signal)), count),
    list);
  draw();
}
