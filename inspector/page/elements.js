// Elements, made of values. Text gets in as text alone: there is no way to put markup in (the policy of the page would
// refuse it, too).

/** `element('p', {class: 'quiet', onclick: f}, 'text', child)`; attributes that are null or false are left out. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// What could turn a line around or hide in it: controls, bidi marks, zero-width characters.
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** A text of a device or a client, safe in a line: what cannot be seen is spelled out, what is long is cut. */
export function shown(text, most = 2000) {
  const cut = String(text ?? '').slice(0, most);
  const spelled = cut.replace(unprintable, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return String(text ?? '').length > most ? `${spelled}…` : spelled;
}

/** Replaces what `place` holds by `children`, and keeps the focus where an element of the same id has it. */
export function fill(place, ...children) {
  const focused = place.contains(document.activeElement) ? document.activeElement.id : '';
  place.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (focused) document.getElementById(focused)?.focus();
}

export const button = (text, onclick, more = {}) => element('button', { type: 'button', onclick, ...more }, text);

/** A paragraph for what was done; `said(promise, text)` waits, and says the text or why it failed. */
export function status() {
  const place = element('p', { role: 'status', class: 'said' });
  const said = async (promise, text) => {
    try {
      const done = await promise;
      place.textContent = typeof text === 'function' ? text(done) : text;
      return done;
    } catch (error) {
      place.textContent = shown(error.message);
      return undefined;
    }
  };
  return { place, said };
}

/** `[['Key', 'x'], …]` as a list; what is empty is left out. */
export function facts(rows) {
  const there = rows.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return element('dl', {}, there.map(([name, value]) => [element('dt', {}, name), element('dd', {}, value instanceof Node ? value : shown(value))]));
}

/** A table; cells are texts or elements. */
export function table(heads, rows, label) {
  return element('div', { class: 'table' }, element('table', { 'aria-label': label },
    element('thead', {}, element('tr', {}, heads.map((head) => (head ? element('th', { scope: 'col' }, head) : element('td'))))),
    element('tbody', {}, rows.map((row) => element('tr', {}, row.map((cell) => element('td', {}, cell instanceof Node ? cell : shown(cell, 500))))))));
}

/** Gives the reader a text as a file. */
export function save(name, text, type) {
  const link = element('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export const size = (bytes) => (bytes < 1024 ? `${bytes} bytes` : bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`);
export const duration = (us) => (us === undefined ? '' : us < 1000 ? `${us} µs` : us < 10_000_000 ? `${(us / 1000).toFixed(1)} ms` : `${(us / 1_000_000).toFixed(1)} s`);

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });
const day = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });
/** In the reader's locale, to the millisecond. */
export const time = (ms) => clock.format(new Date(ms));
export const date = (ms) => day.format(new Date(ms));
