// Why a request was a miss: the nearest recordings beside it, parameter by parameter, and what can be done.

import { post } from './control.js';
import { button, element, shown, status } from './elements.js';

const words = { same: 'the same', differs: 'differs', missing: 'not asked', extra: 'not recorded' };

/** An API as rules name it: without its first label. */
export const unlabelled = (api) => (api.includes('.') ? api.slice(api.indexOf('.') + 1) : api);

/** The rule under which that recording would answer. */
function rule(entry, nearest) {
  const ignore = [...new Set(nearest.parameters.filter(({ verdict }) => verdict !== 'same').map(({ name }) => name))];
  const made = { ignore };
  if (entry.api) Object.assign(made, { api: unlabelled(entry.api), method: entry.method });
  if (nearest.version && nearest.version.asked !== nearest.version.recorded) made.any_version = true;
  return made;
}

/** What a rule does, in words. */
export function effect({ ignore, any_version: version }) {
  const parts = ignore.length > 0 ? [`ignore ${ignore.map((name) => shown(name, 60)).join(', ')}`] : [];
  if (version) parts.push('take any version');
  return parts.join(' and ');
}

const asOrder = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)} from now on`;

function comparison(nearest) {
  const rows = nearest.parameters.map(({ name, verdict, asked, recorded }) => ({ name, verdict, asked, recorded }));
  if (nearest.version && nearest.version.asked !== nearest.version.recorded) rows.unshift({ name: 'version', verdict: 'differs', ...nearest.version });
  return element('div', { class: 'table' }, element('table', { 'aria-label': `Compared with ${shown(nearest.key, 200)}` },
    element('thead', {}, element('tr', {}, ['Parameter', 'Asked', 'Recorded', ''].map((head) => element(head ? 'th' : 'td', { scope: head ? 'col' : null }, head)))),
    element('tbody', {}, rows.map(({ name, verdict, asked, recorded }) => element('tr', { class: verdict },
      element('th', { scope: 'row' }, shown(name, 100)), element('td', {}, shown(asked ?? '–', 500)), element('td', {}, shown(recorded ?? '–', 500)), element('td', {}, words[verdict]))))));
}

/** `changed()` is called when a rule came or went. */
export function nearestView({ entry, nearest = [], hint }) {
  const { place, said } = status();
  const add = (one) => said(post('/rules', rule(entry, one)), 'It holds from now on: ask again. Under Rules it can be taken back.');
  return element('section', { 'aria-label': 'What comes nearest' },
    element('h3', {}, 'What comes nearest'),
    nearest.length === 0 && element('p', { class: 'empty' }, 'Nothing like it is recorded.'),
    nearest.map((one) => [element('p', { class: 'key-line' }, shown(one.key, 500)), comparison(one),
      rule(entry, one).ignore.length + (rule(entry, one).any_version ? 1 : 0) > 0 && element('p', {}, button(asOrder(effect(rule(entry, one))), () => add(one)))]),
    place,
    hint && element('p', {}, 'What would help: ', shown(hint, 1000)),
    element('h3', {}, 'Record it'),
    element('pre', {}, 'tapedeck record --device https://nas.example:5001 my.cassette'));
}
