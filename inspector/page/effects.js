// Shows effects: the changes that writes have made, and a form that creates an effect from a missed write.

import { post } from './control.js';
import { button, element, field, fill, notifyWhen, shown } from './elements.js';
import { fileName, unlabelled } from './format.js';
import { callText } from './words.js';

/** Creates a form for a missed write, `seen` by `GET /requests/N`, with the effect that it names. */
export function effectForm({ entry, effect }) {
  const text = element('textarea', { id: 'effect-text', rows: '10', spellcheck: 'false' });
  text.value = effect;
  const submit = (event) => {
    event.preventDefault();
    const set = `effect of ${unlabelled(entry.api)}/*/${entry.method}`;
    return notifyWhen(post('/overlays', { set, toml: text.value }), 'The effect applies from now on: send the write again. Overlays lists it and shows what was written.');
  };
  return element('details', { class: 'effect-form', open: true }, element('summary', {}, 'Make an effect of this write'),
    element('form', { onsubmit: submit, 'aria-label': 'Make an effect of this write' },
      element('p', {}, 'The write gets a successful reply, and the named read shows its parameters.'),
      field('Effect, as in an overlay file', text),
      element('p', {}, element('button', { type: 'submit', class: 'primary' }, 'Apply from now on'))));
}

const list = (items) => element('ul', { class: 'cards' }, items);

function effectCard({ on, changes, set, file, line, scope, built_in: isBuiltIn }, remove) {
  const place = isBuiltIn ? 'built in' : set === undefined ? `${shown(fileName(file), 200)}, line ${line}` : `set ${shown(set, 200)}`;
  return element('li', { class: 'card' },
    element('p', {}, element('code', {}, shown(callText(on), 300)), changes.length > 0 && [' changes ', element('code', {}, shown([...new Set(changes)].map(callText).join(', '), 300))]),
    element('p', { class: 'quiet' }, [place, scope && `scope ${shown(scope, 80)}`].filter(Boolean).join(', ')),
    set !== undefined && element('p', { class: 'buttons' }, button('Delete', () => remove(set), { 'aria-label': `Delete ${shown(set, 200)}` })));
}

function ownerCard({ owner, writes }) {
  return element('li', { class: 'card' }, element('h4', {}, shown(owner, 200)),
    element('ol', {}, writes.slice(-50).map(({ on, parameters, changes }) => element('li', {}, element('code', {}, shown(callText(on), 300)),
      parameters.length > 0 && [' with ', element('code', {}, shown(parameters.map(({ name, value }) => `${name} = ${value}`).join(', '), 300))],
      changes.length > 0 && [' changes ', element('code', {}, shown([...new Set(changes)].map(callText).join(', '), 300))]))));
}

/** Shows the declared effects and the writes so far. `refresh` is called after a change; `draw` of the result shows them again. */
export function effectsSection(refresh) {
  const place = element('section', { 'aria-label': 'Effects' });
  let drawn = '';
  const act = async (promise, words) => {
    await notifyWhen(promise, words);
    await refresh();
  };
  const clear = () => act(post('/sessions/reset', { all: true }), 'What was written is cleared, and sequences start again.');
  const remove = (set) => act(post('/overlays/delete', { set }), `Set ${set} is deleted.`);
  function draw(found) {
    const now = JSON.stringify(found);
    if (now === drawn) return;
    drawn = now;
    fill(place, found.effects.length > 0 && [
      element('h3', {}, 'Effects of writes'), list(found.effects.map((one) => effectCard(one, remove))),
      element('h3', {}, 'Written so far'),
      found.state.length === 0 ? element('p', { class: 'quiet' }, 'Nothing.') : [list(found.state.map(ownerCard)), element('p', {}, button('Clear', clear))]]);
  }
  return { place, draw };
}
