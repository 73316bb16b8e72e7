// Shows the active match rules, each with a button that removes it.

import { get, post } from './control.js';
import { button, element, emptyState, fill, notifyWhen, shown, snippet } from './elements.js';
import { effect } from './nearest.js';
import { tomlText } from './quote.js';

const tomlList = (texts) => `[${texts.map(tomlText).join(', ')}]`;
export const toml = ({ api, method, ignore, bind, any_version: version, at_end: atEnd }) =>
  ['[[replay.match]]', api && `api = ${tomlText(api)}`, method && `method = ${tomlText(method)}`,
    ignore.length > 0 && `ignore = ${tomlList(ignore)}`, bind.length > 0 && `bind = ${tomlList(bind)}`, version && 'any_version = true', atEnd && `at_end = "${atEnd}"`].filter(Boolean).join('\n');

export async function rulesView(place, signal) {
  const list = element('div');
  const remove = (id) => async () => {
    await notifyWhen(post('/rules/delete', { id }), 'The rule was removed.');
    await draw();
  };
  async function draw() {
    const { rules } = await get('/rules');
    if (signal.aborted) return;
    fill(list, rules.length === 0 ? emptyState('No rules: all parameters must match', element('p', {}, 'Open a miss. If a similar recording exists, you can add a rule that replays it.')) : [
      element('ul', { class: 'cards' }, rules.map((one) => element('li', { class: 'card' },
        element('p', {}, one.api ? element('code', {}, `${shown(one.api, 200)} ${shown(one.method ?? '', 100)}`) : 'Every call', ': ', effect(one)),
        element('p', {}, button('Remove', remove(one.id), { 'aria-label': `Remove rule ${one.id}` }))))),
      element('h3', {}, 'To keep these rules, put them into tapedeck.toml'), snippet(rules.map(toml).join('\n\n'))]);
  }
  await draw();
  if (!signal.aborted) fill(place, element('div', { class: 'pad' }, element('h2', {}, 'Rules'), element('p', { class: 'quiet' }, 'Differences that are ignored if a request would otherwise be a miss.'), list));
}
