// Explains a miss: shows the nearest recordings beside the request, and the remedies.

import { post } from './control.js';
import { button, element, emptyState, notifyWhen, shown, snippet } from './elements.js';
import { capitalized, unlabelled } from './format.js';
import { store } from './store.js';

const words = { same: 'same', differs: 'differs', missing: 'not sent', extra: 'not recorded' };

/** Returns the rule with which that recording would match. */
function rule(entry, nearest) {
  const ignore = [...new Set(nearest.parameters.filter(({ verdict }) => verdict !== 'same').map(({ name }) => name))];
  const made = { ignore };
  if (entry.api) Object.assign(made, { api: unlabelled(entry.api), method: entry.method });
  if (nearest.version && nearest.version.asked !== nearest.version.recorded) made.any_version = true;
  return made;
}

/** Describes the effect of a rule. */
export function effect({ ignore, bind = [], any_version: version, at_end: atEnd }) {
  const listed = (verb, names) => (names.length > 0 ? [`${verb} ${names.map((name) => shown(name, 60)).join(', ')}`] : []);
  const parts = [...listed('ignore', ignore), ...listed('bind', bind)];
  if (version) parts.push('accept any version');
  if (atEnd) parts.push({ stick: 'repeat the last response', loop: 'repeat the responses', miss: 'miss after the last response' }[atEnd]);
  return parts.join(' and ');
}

function comparison(nearest) {
  const rows = [...nearest.parameters];
  if (nearest.version && nearest.version.asked !== nearest.version.recorded) rows.unshift({ name: 'version', verdict: 'differs', ...nearest.version });
  if (rows.length === 0) return null;
  return element('div', { class: 'table' }, element('table', { class: 'comparison', 'aria-label': `Compared with ${shown(nearest.key, 200)}` },
    element('thead', {}, element('tr', {}, ['Parameter', 'This request', 'Recorded', ''].map((head) => element(head ? 'th' : 'td', { scope: head ? 'col' : null }, head)))),
    element('tbody', {}, rows.map(({ name, verdict, asked, recorded }) => element('tr', { class: verdict },
      element('th', { scope: 'row' }, shown(name, 100)), element('td', {}, shown(asked ?? '–', 500)), element('td', {}, shown(recorded ?? '–', 500)), element('td', {}, words[verdict]))))));
}

function remedy(entry, nearest) {
  const made = rule(entry, nearest);
  if (made.ignore.length === 0 && !made.any_version) return null;
  const add = () => notifyWhen(post('/rules', made), 'The rule applies from now on. Send the request again. To remove the rule, open Rules.');
  return button(`${capitalized(effect(made))} from now on`, add, { class: 'primary' });
}

const shellWord = (text) => (/^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Returns the command that records the missing request. */
export function recordCommand() {
  const { device = 'https://nas.example:5001', cassettes = ['my.cassette'] } = store.state;
  return `tapedeck record --mode new --page --device ${shellWord(device)} ${shellWord(cassettes[0])}`;
}

/** `answerButton` opens the form that mocks a response. */
export function nearestView({ entry, nearest = [], hint }, answerButton) {
  return element('section', { 'aria-label': 'Nearest recordings' },
    element('h3', {}, 'Nearest recordings'),
    nearest.length === 0 && emptyState('Nothing similar is recorded', element('p', {}, 'Record the call, or mock its response.')),
    nearest.map((one) => element('div', { class: 'nearest' }, element('p', { class: 'key-line' }, shown(one.key, 500)), comparison(one), remedy(entry, one))),
    hint && element('p', {}, hint.split('`').map((part, i) => (i % 2 === 1 ? element('code', {}, shown(part, 500)) : shown(part, 500)))),
    element('h3', {}, 'What you can do'),
    element('p', {}, answerButton),
    element('p', {}, store.state.device ? 'This server records missing calls; calls that change the device need --allow-writes. ' : '', 'Record the missing response from the device, and keep everything else:'),
    snippet(recordCommand()));
}
