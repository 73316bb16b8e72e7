// Shows effects: the changes that writes have made, and a form that creates an effect from a missed write.

import { caretPath } from './caret.js';
import { get, post } from './control.js';
import { button, element, field, fill, notifyWhen, shown } from './elements.js';
import { unlabelled } from './format.js';

const redacted = /^<[A-Z_:0-9]+>$/;

/** Returns an effect of the write: its parameters become members of `data` in the read that the miss names. */
function effectOf({ entry, asked, effect }) {
  const read = /^in = "(.*)"$/m.exec(effect)?.[1];
  const names = (asked?.parameters ?? []).filter(({ value }) => !redacted.test(value)).map(({ name }) => name);
  const data = Object.fromEntries(names.map((name) => [name, `{{param.${name}}}`]));
  return { on: `${unlabelled(entry.api)}/*/${entry.method}`, change: [{ in: read, merge: entry.method === 'set' ? 'params' : { data } }] };
}

/** Creates a form for a missed write, `seen` by `GET /requests/N`. */
export function effectForm(seen) {
  const text = element('textarea', { id: 'effect-text', rows: '10', spellcheck: 'false' });
  const made = effectOf(seen);
  text.value = JSON.stringify(made, null, 2);
  const submit = (event) => {
    event.preventDefault();
    const add = async () => post('/overlays', { set: `effect of ${made.on}`, effects: [JSON.parse(text.value)] });
    return notifyWhen(add(), 'The effect applies from now on: send the write again. Overlays lists it and shows what was written.');
  };
  return element('details', { class: 'effect-form' }, element('summary', {}, 'Make an effect of this write'),
    element('form', { onsubmit: submit, 'aria-label': 'Make an effect of this write' },
      element('p', {}, 'The write gets a successful reply, and the named read shows its parameters.'),
      field('Effect, as JSON', text), caretPath(text),
      element('p', {}, element('button', { type: 'submit', class: 'primary' }, 'Apply from now on'))));
}

const list = (items) => element('ul', { class: 'cards' }, items);

function effectCard({ on, changes, set, file, line, scope, built_in: isBuiltIn }, remove) {
  const place = isBuiltIn ? 'built in' : set === undefined ? `${shown(file, 200)}, line ${line}` : `set ${shown(set, 200)}`;
  return element('li', { class: 'card' },
    element('p', {}, element('code', {}, shown(on, 300)), changes.length > 0 && [' changes ', element('code', {}, shown([...new Set(changes)].join(', '), 300))]),
    element('p', { class: 'quiet' }, [place, scope && `scope ${shown(scope, 80)}`].filter(Boolean).join(', ')),
    set !== undefined && element('p', { class: 'buttons' }, button('Delete', () => remove(set), { 'aria-label': `Delete ${shown(set, 200)}` })));
}

function ownerCard({ owner, writes }) {
  return element('li', { class: 'card' }, element('h4', {}, shown(owner, 200)),
    element('ol', {}, writes.slice(-50).map(({ on, parameters, changes }) => element('li', {}, element('code', {}, shown(on, 300)),
      parameters.length > 0 && ` with ${shown(parameters.join(', '), 200)}`,
      changes.length > 0 && [' changes ', element('code', {}, shown([...new Set(changes)].join(', '), 300))]))));
}

/**
 * Shows the declared effects and the writes so far, with a button that clears these. `draw` of the result shows them
 * again.
 */
export function effectsSection() {
  const place = element('section', { 'aria-label': 'Effects' });
  let drawn = '';
  const act = async (promise, words) => {
    await notifyWhen(promise, words);
    await draw();
  };
  const clear = () => act(post('/sessions/reset', { all: true }), 'What was written is cleared, and sequences start again.');
  const remove = (set) => act(post('/overlays/delete', { set }), `Set ${set} is deleted.`);
  async function draw() {
    const found = await get('/effects');
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
