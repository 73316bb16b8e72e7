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
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
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
  place.replaceChildren(...children.flat().filter(Boolean));
  if (focused) document.getElementById(focused)?.focus();
}

export const duration = (us) => (us === undefined ? '' : us < 1000 ? `${us} µs` : `${(us / 1000).toFixed(1)} ms`);

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });
export const time = (ms) => clock.format(new Date(ms));
