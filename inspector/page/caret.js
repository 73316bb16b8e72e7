// Finds the path of the JSON value under the cursor of a text field.

import { element } from './elements.js';

const space = /\s/;

/** The keys that lead to the value at `offset` in a JSON text, which may be unfinished: `['data', 'shares', 0]`. */
export function pathAt(text, offset) {
  const open = []; // objects have a key, lists an index
  let isKey = false;
  for (let at = 0; at < Math.min(offset, text.length); ++at) {
    const c = text[at];
    const last = open.at(-1);
    if (c === '"') {
      let end = at + 1;
      while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
      if (isKey) last.key = text.slice(at + 1, end);
      at = end;
    } else if (c === '{') {
      open.push({ key: undefined });
      isKey = true;
    } else if (c === '[') {
      open.push({ index: 0 });
      isKey = false;
    } else if (c === '}' || c === ']') {
      open.pop();
      isKey = false;
    } else if (c === ':') {
      isKey = false;
    } else if (c === ',') {
      if (last?.index !== undefined) ++last.index;
      isKey = last !== undefined && last.index === undefined;
    } else if (!space.test(c)) {
      isKey = false;
    }
  }
  return open.map(({ key, index }) => index ?? key).filter((key) => key !== undefined);
}

const pathText = (path) => path.map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? key : `.${key}`)).join('');

/** A line that shows the path under the cursor of `field`. */
export function caretPath(field) {
  const place = element('output', { class: 'path quiet', for: field.id, 'aria-label': 'Path under the cursor', 'aria-live': 'off' });
  const show = () => { place.textContent = pathText(pathAt(field.value, field.selectionStart)).slice(0, 300) || '\u00a0'; };
  for (const event of ['keyup', 'click', 'input', 'focus']) field.addEventListener(event, show);
  show();
  return place;
}
