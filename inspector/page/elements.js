// Builds elements from values. Text is only ever added as text: the page has no way to insert markup, and its content
// security policy would refuse it.

/** `element('p', {class: 'quiet', onclick: f}, 'text', child)`. Attributes that are null or false are left out. */
export function element(name, attributes = {}, ...children) {
  return build(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return build(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function build(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// Characters that could reverse a line or hide in it: controls, bidi marks, zero-width characters.
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Makes text of a device or a client safe to show: spells out invisible characters, and cuts long text. */
export function shown(text, most = 2000) {
  const whole = String(text ?? '');
  const spelled = whole.slice(0, most).replace(unprintable, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return whole.length > most ? `${spelled}…` : spelled;
}

/** Returns the text with places, by default after dots and slashes, where a line may end, so that names do not break inside words. */
export const breakable = (text, places = /(?<=[./])(?=[^\s./])/) => text.split(places).flatMap((piece) => [element('wbr'), piece]);

/** Replaces the content of `place`. An element with the same id as the focused one gets the focus. */
export function fill(place, ...children) {
  const focused = place.contains(document.activeElement) ? document.activeElement.id : '';
  place.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (focused) document.getElementById(focused)?.focus();
}

export const button = (text, onclick, more = {}) => element('button', { type: 'button', onclick, ...more }, text);

let noticeTimer;

/** Shows one line at the bottom of the page for a few seconds; screen readers announce it. */
export function notify(text) {
  const place = document.getElementById('notice');
  clearTimeout(noticeTimer);
  place.textContent = shown(text, 500);
  place.classList.add('visible');
  noticeTimer = setTimeout(() => place.classList.remove('visible'), 6000);
}

/** Waits for `promise` and shows `text` (or `text(result)`), or the error. Resolves to the result, or undefined. */
export async function notifyWhen(promise, text) {
  try {
    const result = await promise;
    const line = typeof text === 'function' ? text(result) : text;
    if (line) notify(line);
    return result;
  } catch (error) {
    notify(error.message);
    return undefined;
  }
}

/** Creates a button that copies `text`, or the result of `text()`. */
export const copyButton = (label, text, more = {}) =>
  button(label, () => notifyWhen(navigator.clipboard.writeText(typeof text === 'function' ? text() : text), 'Copied.'), more);

/** Shows a command or snippet with a button that copies it. */
export const snippet = (text, label = 'Copy') =>
  element('div', { class: 'snippet' }, element('pre', { tabindex: '0' }, breakable(shown(text, 20_000), /(?<=[/?&])(?=[^\s/?&])/)), copyButton(label, text));

/** Shows `[['Key', 'x'], …]` as a list of names and values. Leaves out empty values. */
export function facts(rows) {
  const present = rows.filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false);
  return element('dl', {}, present.map(([name, value]) => [element('dt', {}, name), element('dd', {}, value instanceof Node ? value : shown(value))]));
}

/** A table; cells are text or elements. */
export function table(heads, rows, label) {
  return element('div', { class: 'table' }, element('table', { 'aria-label': label },
    element('thead', {}, element('tr', {}, heads.map((head) => (head ? element('th', { scope: 'col' }, head) : element('td'))))),
    element('tbody', {}, rows.map((row) => element('tr', {}, row.map((cell) => element('td', {}, cell instanceof Node ? cell : shown(cell, 500))))))));
}

export const field = (label, input, more) => element('p', { class: 'field' }, element('label', { for: input.id }, label), input, more);

/** Shows the text of an empty view: a heading, and the next step. */
export const emptyState = (title, ...children) => element('div', { class: 'empty' }, element('h3', {}, title), children);

/** Offers a text as a file to save. */
export function save(name, text, type) {
  const link = element('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
