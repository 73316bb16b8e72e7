// The rules of looser matching that are in force, each with a button that takes it back.

import { get, post } from './control.js';
import { button, element, fill, shown, status } from './elements.js';
import { effect } from './nearest.js';

const toml = ({ api, method, ignore, any_version: version }) =>
  ['[[replay.match]]', api && `api = ${JSON.stringify(api)}`, method && `method = ${JSON.stringify(method)}`,
    ignore.length > 0 && `ignore = ${JSON.stringify(ignore)}`, version && 'any_version = true'].filter(Boolean).join('\n');

export async function rulesView(place, signal) {
  const { place: says, said } = status();
  const list = element('div');
  const takeBack = (id) => async () => {
    await said(post('/rules/delete', { id }), 'The rule is gone.');
    await draw();
  };
  async function draw() {
    const { rules } = await get('/rules');
    if (signal.aborted) return;
    fill(list, rules.length === 0 ? element('p', { class: 'empty' }, 'Every parameter counts. A miss that was opened offers rules under which it would be answered.') : [
      element('ul', { class: 'plain' }, rules.map((one) => element('li', {},
        one.api ? `${shown(one.api, 200)} ${shown(one.method ?? '', 100)}: ` : 'Every call: ', effect(one), ' ',
        button('Take back', takeBack(one.id), { 'aria-label': `Take back rule ${one.id}` })))),
      element('h3', {}, 'For tapedeck.toml'), element('pre', {}, shown(rules.map(toml).join('\n\n'), 100_000))]);
  }
  await draw();
  if (!signal.aborted) fill(place, element('h2', {}, 'Rules'), element('p', {}, 'What may differ where a request would be a miss.'), says, list);
}
