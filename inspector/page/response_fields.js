// Fields for a response that somebody writes: an error code with the known codes to choose from, and a body.

import { caretPath } from './caret.js';
import { element, field, fill, shown } from './elements.js';
import { errorCodes } from './format.js';

const longestEdited = 256 * 1024;
const marks = { SESSION_ID: '{{session.id}}', CSRF_TOKEN: '{{session.token}}', DEVICE_ID: '{{session.device_id}}' };

/** Returns true for an answer of `GET /requests/N` whose body can be edited as text. */
export const isEditable = (answer) => Boolean(answer) && answer.body.pieces.every((piece) => piece.base64 === undefined) && answer.body.bytes > 0 &&
  answer.body.next === undefined && !answer.body.cut && answer.body.bytes <= longestEdited;

/** Returns the body in the notation of overlays: the session's own values become marks, and `{{{{` is one brace. */
const template = (body) => body.pieces.map((piece) => (piece.class && marks[piece.class]) || piece.text.replace(/\{(?=\{)/g, '{{{{')).join('');

/** Returns JSON with one value on each line. Other text stays, and so does JSON with numbers that JavaScript rounds. */
function pretty(text) {
  try {
    return /\d{16}/.test(text) ? text : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** `{controls, rule(), isValid()}` for an error code. `id` is the start of the fields' IDs. */
export function errorField(api, id) {
  const known = errorCodes(api);
  const code = element('input', { id: `${id}-code`, type: 'number', min: '1', max: '99999', value: '105', required: true, oninput: () => show() });
  const choice = element('select', { 'aria-label': 'Known error codes', onchange: () => { code.value = choice.value; } },
    element('option', { value: '' }, 'another code'), known.map(([value, meaning]) => element('option', { value }, `${value} ${meaning}`)));
  const show = () => { choice.value = known.some(([value]) => value === code.value) ? code.value : ''; };
  show();
  return { controls: field('Error code', code, choice), rule: () => ({ error: Number(code.value) }), isValid: () => true };
}

/** The same for an edited body, which must stay JSON if it was JSON. */
export function bodyField(body, id) {
  const text = element('textarea', { id: `${id}-body`, rows: '12', spellcheck: 'false', 'aria-describedby': `${id}-said`, oninput: () => check() });
  const said = element('p', { id: `${id}-said`, role: 'status', class: 'bad' });
  text.value = pretty(template(body));
  const problem = (value) => {
    try {
      JSON.parse(value);
      return '';
    } catch (error) {
      return error.message;
    }
  };
  const isJson = problem(template(body)) === '';
  const check = () => {
    const why = isJson ? problem(text.value) : '';
    fill(said, why && `Not JSON: ${shown(why, 200)}`);
    text.setAttribute('aria-invalid', String(why !== ''));
    return why === '';
  };
  return { controls: [field('Body', text), caretPath(text), said], rule: () => ({ json: text.value }), isValid: check };
}
