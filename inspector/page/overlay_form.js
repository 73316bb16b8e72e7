// "Answer this from now on with …": an overlay made of a request.

import { get, post } from './control.js';
import { button, element, fill, shown, status } from './elements.js';

const longestEdited = 256 * 1024;
const marks = { SESSION_ID: '{{session.id}}', CSRF_TOKEN: '{{session.token}}', DEVICE_ID: '{{session.device_id}}' };

/** The body as overlays write it: what belongs to the session stands as its mark, and `{{{{` is one brace. */
function template(body) {
  return body.pieces.map((piece) => (piece.class && marks[piece.class]) || piece.text.replace(/\{(?=\{)/g, '{{{{')).join('');
}

const field = (label, input) => element('p', { class: 'field' }, element('label', { for: input.id }, label), ' ', input);

const kinds = {
  error: () => {
    const code = element('input', { id: 'overlay-code', type: 'number', min: '1', max: '99999', value: '407', required: true });
    return { controls: field('Error code', code), rule: () => ({ error: Number(code.value) }), says: () => `error ${code.value}` };
  },
  delay: () => {
    const delay = element('input', { id: 'overlay-delay', value: '2s', size: '8', required: true });
    return { controls: field('Delay, as 800ms or 2s', delay), rule: () => ({ delay: delay.value }), says: () => `a delay of ${delay.value}` };
  },
  fault: () => {
    const fault = element('select', { id: 'overlay-fault' }, ['reset', 'close', 'cut', 'hang', 'garbage', 'empty'].map((value) => element('option', { value }, value)));
    return { controls: field('Fault', fault), rule: () => ({ fault: fault.value }), says: () => `fault ${fault.value}` };
  },
  body: (body) => {
    const text = element('textarea', { id: 'overlay-body', rows: '12', spellcheck: 'false' });
    text.value = template(body);
    return { controls: field('Body', text), rule: () => ({ json: text.value }), says: () => 'an edited body' };
  },
};
const names = { error: 'an error', delay: 'a delay', fault: 'a fault', body: 'an edited body' };

/** Whose requests it is for: the call, with the same parameters. */
function subject({ entry, asked }, exactly) {
  const made = entry.api ? { call: `${entry.api}/${entry.version}/${entry.method}` } : { path: entry.key.split(/[?]| #/)[0] };
  const parameters = asked?.parameters ?? [];
  if (exactly && parameters.length > 0) {
    made.params = Object.fromEntries(parameters.map(({ name, value }) => [name, /^<[A-Z_:0-9]+>$/.test(value) ? '*' : value]));
  }
  return made;
}

/** A name that no other overlay has. */
async function freeName(wanted) {
  const { overlays } = await get('/overlays');
  const taken = new Set(overlays.map(({ name }) => name));
  let name = wanted;
  for (let i = 2; taken.has(name); ++i) name = `${wanted} (${i})`;
  return name;
}

/** `seen` is what GET /requests/N gave. */
export function offers(seen) {
  const { entry, asked, answer } = seen;
  const editable = answer?.body.bytes > 0 && answer.body.next === undefined && !answer.body.cut && answer.body.bytes <= longestEdited;
  const { place, said } = status();
  const inside = element('div');
  let made = kinds.error();
  const kind = element('select', { id: 'overlay-kind', onchange: () => { made = kinds[kind.value](answer?.body); fill(inside, made.controls); } },
    Object.keys(kinds).filter((name) => name !== 'body' || editable).map((value) => element('option', { value }, names[value])));
  const exactly = element('input', { id: 'overlay-exactly', type: 'checkbox', checked: true });
  fill(inside, made.controls);
  const answerSo = async (event) => {
    event.preventDefault();
    const call = entry.api ? `${entry.api}/${entry.method}` : entry.key.slice(0, 60);
    await said((async () => {
      const name = await freeName(`${made.says()} for ${call}`);
      return post('/overlays', { set: name, overlays: [{ name, ...subject(seen, exactly.checked), ...made.rule() }] });
    })(), () => 'It is answered so from now on. Overlays has it, to be switched off and saved.');
  };
  return element('section', { 'aria-label': 'Answer this otherwise' },
    element('h3', {}, 'Answer this from now on with …'),
    element('form', { onsubmit: answerSo },
      field('With', kind), inside,
      asked?.parameters.length > 0 && element('p', {}, exactly, ' ', element('label', { for: 'overlay-exactly' }, `only for these parameters: ${asked.parameters.map(({ name }) => shown(name, 40)).join(', ')}`)),
      element('p', {}, element('button', { type: 'submit' }, 'From now on')), place));
}
