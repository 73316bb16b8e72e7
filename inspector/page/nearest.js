// Explains a miss: shows the nearest recordings beside the request, and the remedies.

import { post } from './control.js';
import { button, element, notifyWhen, shown, snippet } from './elements.js';
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

/** Returns a button that adds the rule, or null if no rule would help. A rule that would be a guess is no first choice. */
function remedy(entry, nearest, isPrimary) {
  const made = rule(entry, nearest);
  if (made.ignore.length === 0 && !made.any_version) return null;
  const add = () => notifyWhen(post('/rules', made), 'The rule applies from now on. Send the request again. To remove the rule, open Rules.');
  return button(`${capitalized(effect(made))} from now on`, add, { class: isPrimary ? 'primary' : null });
}

const shellWord = (text) => (/^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Returns the command that records the missing request. */
export function recordCommand() {
  const { device = 'https://nas.example:5001', cassettes = ['my.cassette'] } = store.state;
  return `tapedeck record --mode new --page --device ${shellWord(device)} ${shellWord(cassettes[0])}`;
}

/** Returns the hint of a miss without what the card offers already. */
const hintText = (hint) => hint.split('`').map((part, i) => (i % 2 === 1 ? element('code', {}, shown(part, 500)) : shown(part, 500)));

const recording = (entry, one, isPrimary) => [element('p', { class: 'key-line' }, shown(one.key, 500)), comparison(one), remedy(entry, one, isPrimary)];

/** Explains a miss in one card: the nearest recording, one first choice, and the others below it. */
export function missCard({ entry, nearest = [], hint = '', effect: block, overlay }, mock, effectForm) {
  const isGuess = hint.includes('would be a guess');
  const [first, ...others] = nearest;
  const canMatch = Boolean(first) && !isGuess && rule(entry, first).ignore.length + Number(Boolean(rule(entry, first).any_version)) > 0;
  const mockButton = button('Mock this response', () => { mockButton.hidden = true; mock.reveal(); }, { class: canMatch || block ? null : 'primary' });
  mock.hidden = true;
  return element('section', { class: 'miss-card', 'aria-label': 'Miss' },
    element('h3', {}, first ? 'Nearest recordings' : 'Nothing similar is recorded'),
    first && recording(entry, first, canMatch && !block),
    others.length > 0 && element('details', {}, element('summary', {}, others.length === 1 ? 'Another recording' : `${others.length} other recordings`), others.map((one) => element('div', { class: 'other' }, recording(entry, one, false)))),
    hint && element('p', { class: 'quiet' }, capitalized(hint).split('`').length > 1 ? hintText(capitalized(hint)) : capitalized(hint)),
    element('p', { class: 'buttons' }, mockButton),
    effectForm, mock,
    element('details', {}, element('summary', {}, 'Record the missing response'),
      element('p', { class: 'quiet' }, store.state.device ? 'This server records missing calls; calls that change the device need --allow-writes.' : 'Records it from the device, and keeps everything else:'),
      snippet(recordCommand())),
    overlay && element('details', {}, element('summary', {}, 'As a block of an overlay file'), snippet(overlay)));
}
