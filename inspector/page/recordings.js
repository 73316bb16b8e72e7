// Shows the cassettes as a tree: API, call, sequence. The responses of one sequence are shown beside it.

import { Body, atOnce } from './body.js';
import { all, get } from './control.js';
import { tabs, tabsOf } from './detail.js';
import { button, element, emptyState, facts, fill, shown, snippet } from './elements.js';
import { date, duration, errorName, fileName, size, unlabelled } from './format.js';
import { sparkline } from './sparkline.js';
import { split } from './split.js';

const chosen = { text: '', unplayed: false, tab: 'Response' };
const fewEnough = 40; // APIs that are opened at once

const callPattern = /^([\w.-]+)\/([^/]*)\/([^/?]*)(\?.*)?$/s;
function parts(key) {
  const [, api, version, method, parameters = ''] = callPattern.exec(key) ?? [];
  return api ? { api, call: `${method}/${version}`, method, version, parameters: parameters.slice(1) } : { api: 'Other requests', call: key, parameters: '' };
}

const grouped = (list, by) => list.reduce((map, one) => map.set(by(one), [...(map.get(by(one)) ?? []), one]), new Map());
/** A recording that a newer take has replaced is never replayed, so it does not count as missing. */
const isUnplayed = ({ played, superseded }) => played === 0 && !superseded;
const unplayedOf = (ones) => ones.filter(isUnplayed).length;
const readable = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

function words({ played, recordings, finished, superseded }) {
  if (played === 0 && superseded) return 'replaced by a newer take';
  if (played === 0) return recordings === 1 ? 'never played' : `${recordings} responses, never played`;
  if (recordings === 1) return 'played';
  return finished ? `all ${recordings} played` : `${played} of ${recordings} played`;
}

const queryOf = (one) => `/recordings?cassette=${one.place}&key=${encodeURIComponent(one.key)}&take=${one.take}&lane=${one.lane}${one.scope ? `&scope=${encodeURIComponent(one.scope)}` : ''}`;

/** Loads the data for `loaded(place)` when the place becomes visible. */
function whenVisible(signal) {
  const waiting = new Map();
  const watched = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      watched.unobserve(target);
      waiting.get(target)?.();
    }
  });
  signal.addEventListener('abort', () => watched.disconnect());
  return (place, loaded) => {
    waiting.set(place, loaded);
    watched.observe(place);
  };
}

/** Shows the responses of a sequence, and one of them, in the panel. */
function sequencePanel(place, arrange) {
  let opened = null;
  const close = () => {
    opened = null;
    place.hidden = true;
    arrange();
  };
  async function showOne(inside, one, line) {
    const path = `/recordings?cassette=${one.place}&id=${line.id}`;
    const seen = await get(path);
    const { answer, recording } = seen;
    const body = await new Body(answer, async (from) => (await get(`${path}&from=${from}`)).answer.body).load(atOnce);
    if (opened !== one) return;
    fill(inside,
      facts([['Recording', recording.id], ['Recorded', date(recording.recorded_us / 1000)], ['Took', duration(recording.took_us)], ['Session', recording.session], ['Redactions', recording.redactions || '']]),
      tabs(tabsOf(seen, body), chosen.tab, (name) => { chosen.tab = name; }));
  }
  async function open(one) {
    opened = one;
    const { answers } = await get(queryOf(one));
    if (opened !== one) return;
    const inside = element('div', { class: 'one' });
    const list = element('ol', { class: 'answers' }, answers.map((line, i) => element('li', {}, button(`${i + 1}`, (event) => {
      list.querySelector('[aria-pressed=true]')?.setAttribute('aria-pressed', 'false');
      event.currentTarget.setAttribute('aria-pressed', 'true');
      return showOne(inside, one, line);
    }, { 'aria-pressed': String(i === 0), class: line.played ? 'played' : 'unplayed', 'aria-label': `Response ${i + 1}`, title: [`status ${line.status}`, errorName(line), size(line.bytes), line.played ? 'played' : 'not played', line.completeness === 'complete' ? '' : line.completeness, shown(line.reason ?? '', 200)].filter(Boolean).join(', ') }))));
    fill(place, element('header', { class: 'panel-head' }, element('h2', {}, shown(one.key, 500)), button('✕', close, { class: 'icon', 'aria-label': 'Close' }),
      element('p', { class: 'quiet' }, `${fileName(one.cassette)}, take ${one.take}, lane ${one.lane}${one.scope ? `, scope ${shown(one.scope, 100)}` : ''}: ${words(one)}`)), list, inside);
    place.hidden = false;
    arrange();
    await showOne(inside, one, answers[0]);
  }
  return { open, close };
}

/** `name` is the call if the line represents a call with one sequence. */
function sequenceLine(one, open, visible, name) {
  const bars = element('span', { class: 'bars' });
  const parameters = shown(readable(parts(one.key).parameters).replaceAll('&', '  '), 300);
  const made = element('li', { class: `sequence ${isUnplayed(one) ? 'unplayed' : ''}` },
    element('button', { type: 'button', class: 'line', onclick: () => open(one) },
      element('span', { class: 'parameters' }, name, ' ', parameters || (name ? '' : 'no parameters')),
      element('span', { class: 'quiet' }, [words(one), one.scope && `scope ${shown(one.scope, 60)}`, one.take > 1 && `take ${one.take}`].filter(Boolean).join(', ')), bars));
  if (one.recordings > 1) visible(made, async () => bars.append(sparkline((await get(queryOf(one))).answers)));
  return made;
}

function branch(name, ones, isOpen, inside, className) {
  const never = unplayedOf(ones);
  const count = ones.length === 1 ? '' : `${ones.length} sequences`;
  const unplayed = never > 0 && (never === ones.length ? 'never played' : `${never} never played`);
  const content = element('div');
  const fillIn = () => { if (made.open && !content.hasChildNodes()) content.append(inside()); };
  const made = element('details', { class: className, open: isOpen, ontoggle: fillIn }, element('summary', {}, name, ' ',
    element('span', { class: 'quiet' }, [count, unplayed].filter(Boolean).join(', '))), content);
  fillIn();
  return made;
}

const apiName = (api) => (api.includes('.') ? [element('span', { class: 'dim' }, shown(api.slice(0, api.length - unlabelled(api).length), 60)), shown(unlabelled(api), 200)] : shown(api, 200));

const callName = ({ method, version, call }) => (method ? [element('strong', {}, shown(method, 100)), element('span', { class: 'dim' }, ` v${shown(version, 20)}`)] : element('strong', {}, shown(call, 300)));

function callsOf(ones, open, visible) {
  const list = element('ul', { class: 'plain' });
  for (const same of grouped(ones, ({ key }) => parts(key).call).values()) {
    const name = element('span', {}, callName(parts(same[0].key)));
    list.append(same.length === 1 ? sequenceLine(same[0], open, visible, name)
      : element('li', {}, branch(name, same, true, () => element('ul', { class: 'plain' }, same.map((one) => sequenceLine(one, open, visible))), 'call-group')));
  }
  return list;
}

function tree(sequences, open, visible) {
  const apis = grouped(sequences, ({ key }) => parts(key).api);
  return [...apis].map(([api, ones]) => branch(element('span', { class: 'key-name' }, apiName(api)), ones, apis.size <= fewEnough, () => callsOf(ones, open, visible), 'api'));
}

export async function recordingsView(place, signal) {
  fill(place, element('p', { class: 'quiet pad' }, 'Reading the cassettes …'));
  const sequences = await all('/recordings', 'sequences');
  if (signal.aborted) return;
  const list = element('div', { class: 'recordings' });
  const panelPlace = element('section', { class: 'panel', 'aria-label': 'Sequence', hidden: true });
  const both = split(list, panelPlace);
  signal.addEventListener('abort', both.end);
  const panel = sequencePanel(panelPlace, () => both.arrange());
  const visible = whenVisible(signal);
  const count = element('span', { role: 'status', class: 'quiet count' });
  const search = element('input', { id: 'search', type: 'search', 'aria-label': 'Search recordings', placeholder: 'Search recordings', value: chosen.text, oninput: () => { chosen.text = search.value; draw(); } });
  const unplayed = button('Never played', () => { chosen.unplayed = !chosen.unplayed; draw(); }, { class: 'chip' });

  function draw() {
    const wanted = chosen.text.toLowerCase();
    const fitting = sequences.filter((one) => (!chosen.unplayed || isUnplayed(one)) && (one.key.toLowerCase().includes(wanted) || readable(one.key).toLowerCase().includes(wanted)));
    unplayed.setAttribute('aria-pressed', String(chosen.unplayed));
    const unfinished = sequences.filter((one) => one.played > 0 && !one.finished).length;
    count.textContent = `${fitting.length} of ${sequences.length} sequences; ${unplayedOf(sequences)} never played, ${unfinished} partly played`;
    fill(list, sequences.length > 0 && fitting.length > 0 ? tree(fitting, panel.open, visible)
      : sequences.length > 0 ? emptyState('No recordings match')
        : emptyState('No cassette is loaded', element('p', {}, 'Record one from a device, then replay it:'), snippet('tapedeck record --device https://nas.example:5001 nas.cassette\ntapedeck replay --page nas.cassette')));
  }
  fill(place, element('h2', { class: 'unseen' }, 'Recordings'),
    element('div', { class: 'tools', role: 'search' }, element('span', { class: 'search' }, search), unplayed, button('Reload', () => recordingsView(place, signal)), count),
    both.place);
  draw();
}
