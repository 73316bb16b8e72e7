// One request: what was asked, and why it got its answer.

import { get } from './control.js';
import { duration, element, fill, shown, time } from './elements.js';
import { title } from './list.js';
import { store } from './store.js';

/** A command that asks the same of this server; nothing secret is in a key. */
function curl({ api, version, method, key, verb }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  if (!api) return `curl ${verb === 'GET' ? '' : `-X ${verb} `}${quoted(store.state.url + (key.split(' ')[1] ?? '/'))}`;
  const params = key.includes('?') ? `&${key.slice(key.indexOf('?') + 1)}` : '';
  return `curl -G ${quoted(`${store.state.url}/webapi/entry.cgi`)} -d ${quoted(`api=${api}&version=${version}&method=${method}${params}&_sid=any`)}`;
}

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

function facts(row) {
  const place = row.position === undefined ? '' : `${row.position + 1} of ${row.of}`;
  return [
    ['Time', time(store.startedAt + row.at_us / 1000)],
    ['Session', row.session],
    ['Scope', row.scope],
    ['Key', row.key],
    ['Recording', row.recording],
    ['In its sequence', place],
    ['Not exact', row.match],
    ['Overlay', row.overlay],
    ['Status', row.status],
    ['Error code', row.code || ''],
    ['Duration', duration(row.duration_us)],
    ['Why', row.reason],
  ].filter(([, value]) => value !== undefined && value !== '');
}

async function rowOf(number) {
  const { entries } = await get(`/journal?from=${number}&limit=1`);
  return entries[0]?.number === number ? entries[0] : undefined;
}

export async function detailView(place, signal, number) {
  const row = store.row(number) ?? (await rowOf(number));
  if (signal.aborted) return;
  if (!row || row.gap) {
    fill(place, element('p', { class: 'empty' }, `Request ${number} is no longer kept. `, element('a', { href: '#/requests' }, 'All requests')));
    return;
  }
  const command = curl(row);
  const copied = element('span', { role: 'status' });
  const copy = async () => {
    await navigator.clipboard.writeText(command).then(() => (copied.textContent = 'copied'), () => (copied.textContent = 'the browser refused'));
  };
  fill(place,
    element('p', {}, element('a', { href: '#/requests' }, '← All requests')),
    element('h2', {}, `${number}: `, shown(title(row), 500)),
    element('p', { class: `outcome-line ${row.outcome.replace(' ', '-')}` }, element('strong', { class: 'outcome' }, row.outcome), ' ', explained[row.outcome] ?? ''),
    element('dl', {}, facts(row).flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, shown(value))])),
    element('h3', {}, 'Ask again'),
    element('pre', {}, shown(command)),
    element('p', {}, element('button', { type: 'button', onclick: copy }, 'Copy as curl'), ' ', copied));
}
