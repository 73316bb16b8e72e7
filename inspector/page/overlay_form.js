// Creates an overlay that mocks the response to a request.

import { get, post } from './control.js';
import { button, element, field, fill, notify, notifyWhen, shown } from './elements.js';
import { jsonText } from './body.js';
import { bodyField, errorField, isEditable } from './response_fields.js';
import { pointer } from './tree.js';

const added = 'The mock applies from now on. Send the request again. To turn it off or save it, open Overlays.';

const kinds = {
  error: ({ entry }) => {
    const made = errorField(entry.api, 'overlay');
    return { ...made, says: () => `error ${made.rule().error}` };
  },
  delay: () => {
    const delay = element('input', { id: 'overlay-delay', value: '2s', size: '8', required: true });
    return { controls: field('Delay, such as 800ms or 2s', delay), rule: () => ({ delay: delay.value }), says: () => `a delay of ${delay.value}` };
  },
  fault: () => {
    const fault = element('select', { id: 'overlay-fault' }, ['reset', 'close', 'cut', 'hang', 'garbage', 'empty'].map((value) => element('option', { value }, value)));
    return { controls: field('Fault', fault), rule: () => ({ fault: fault.value }), says: () => `fault ${fault.value}` };
  },
  body: ({ answer }) => ({ ...bodyField(answer.body, 'overlay'), says: () => 'an edited body' }),
};
const names = { error: 'an error', delay: 'a delay', fault: 'a fault', body: 'an edited body' };

/** Returns the requests that an overlay matches: the same call, and with `exactly` the same parameters. */
function subject({ entry, asked }, exactly) {
  const made = entry.api ? { call: `${entry.api}/${entry.version}/${entry.method}` } : { path: entry.key.split(/[?]| #/)[0] };
  const parameters = asked?.parameters ?? [];
  if (exactly && parameters.length > 0) {
    made.params = Object.fromEntries(parameters.map(({ name, value }) => [name, /^<[A-Z_:0-9]+>$/.test(value) ? '*' : value]));
  }
  return made;
}

/** Posts a set of one overlay, under an unused name. */
async function add(seen, what, rule, exactly) {
  const { entry } = seen;
  const { overlays } = await get('/overlays');
  const taken = new Set(overlays.map(({ name }) => name));
  const wanted = `${what} for ${entry.api ? `${entry.api}/${entry.method}` : entry.key.slice(0, 60)}`;
  let name = wanted;
  for (let i = 2; taken.has(name); ++i) name = `${wanted} (${i})`;
  return post('/overlays', { set: name, overlays: [{ name, ...subject(seen, exactly), ...rule }] });
}

/** Creates a form for `seen`, a `GET /requests/N`. `kinds` make fields with `rule()`, `says()`, and perhaps `isValid()`. */
export function mockForm(seen) {
  const { asked, answer } = seen;
  const inside = element('div');
  let made = kinds.error(seen);
  const kind = element('select', { id: 'overlay-kind', onchange: () => { made = kinds[kind.value](seen); fill(inside, made.controls); } },
    Object.keys(kinds).filter((name) => name !== 'body' || isEditable(answer)).map((value) => element('option', { value }, names[value])));
  const exactly = element('input', { id: 'overlay-exactly', type: 'checkbox', checked: true });
  fill(inside, made.controls);
  const submit = (event) => {
    event.preventDefault();
    if (made.isValid && !made.isValid()) return notify('The body is not JSON.');
    return notifyWhen(add(seen, made.says(), made.rule(), exactly.checked), added);
  };
  const place = element('details', { class: 'mock' }, element('summary', {}, 'Mock this response'),
    element('form', { onsubmit: submit },
      field('Respond with', kind), inside,
      asked?.parameters.length > 0 && element('p', {}, exactly, ' ', element('label', { for: 'overlay-exactly' }, `Only with these parameters: ${asked.parameters.map(({ name }) => shown(name, 40)).join(', ')}`)),
      element('p', {}, element('button', { type: 'submit', class: 'primary' }, 'From now on'))));
  place.reveal = () => {
    place.hidden = false;
    place.open = true;
    place.scrollIntoView({ block: 'nearest' });
    kind.focus();
  };
  return place;
}

/** Creates a form that replaces the value at `path`, which is shown as `name`. */
export function patchForm(seen, path, value, name, close) {
  const text = element('textarea', { id: 'patch-value', rows: '3', spellcheck: 'false', 'aria-describedby': 'patch-said', oninput: () => check() });
  const said = element('p', { id: 'patch-said', role: 'status', class: 'quiet' });
  text.value = jsonText(value);
  const parsed = () => {
    try {
      return { value: JSON.parse(text.value) };
    } catch (error) {
      return { error: error.message };
    }
  };
  const check = () => { said.textContent = parsed().error ? `Not JSON yet: ${shown(parsed().error, 200)}. Put text in quotes.` : ''; };
  const submit = async (event) => {
    event.preventDefault();
    const now = parsed();
    if (now.error) return notify('The value is not JSON: put text in quotes.');
    const rule = { patch: [{ op: 'replace', path: pointer(path), value: now.value }] };
    if (await notifyWhen(add(seen, `patch ${path.at(-1)}`, rule, true), added)) close();
    return undefined;
  };
  return element('form', { class: 'patch', onsubmit: submit, 'aria-label': 'Patch a value' },
    element('p', {}, element('label', { for: 'patch-value' }, 'New value of ', element('code', {}, name))), text, said,
    element('p', { class: 'buttons' }, element('button', { type: 'submit', class: 'primary' }, 'Patch from now on'), button('Cancel', close)));
}
