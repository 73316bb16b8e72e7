// A body: as a tree where it is JSON, and raw; redactions marked; with a search. It comes in pieces.

import { button, element, fill, shown, size } from './elements.js';
import { Exact, find, redacted, tree } from './tree.js';

const atOnce = 1024 * 1024; // bytes that are asked for without a word

/** All pieces that are wanted; `next(from)` gives the body from there on. */
async function load(body, next, most) {
  const whole = { ...body, pieces: [...body.pieces] };
  while (whole.next !== undefined && whole.next < most) {
    const more = await next(whole.next);
    whole.pieces.push(...more.pieces);
    whole.next = more.next;
    whole.cut = more.cut;
  }
  return whole;
}

// A redaction in a text that is read as JSON: between two characters that stand for nothing, with a number that no
// answer can know.
const nonce = String(Math.random()).slice(2);
const begin = `\uE000${nonce}:`;
const end = '\uE001';

function marks(text) {
  const pieces = [];
  for (let rest = text; ;) {
    const at = rest.indexOf(begin);
    if (at < 0) return [...pieces, { text: rest }];
    const stop = rest.indexOf(end, at);
    pieces.push({ text: rest.slice(0, at) }, { kind: rest.slice(at + begin.length, stop) });
    rest = rest.slice(stop + 1);
  }
}

/** Where the browser tells how a number was written, none is rounded. */
const exactly = (_key, value, context) =>
  (typeof value === 'number' && context?.source !== undefined && !/[.eE]/.test(context.source) && String(value) !== context.source ? new Exact(context.source) : value);

function parsed(body) {
  if (body.next !== undefined || body.cut) return undefined;
  try {
    const value = JSON.parse(body.pieces.map((piece) => (piece.class ? begin + piece.class + end : piece.text)).join(''), exactly);
    return value !== null && typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Raw text, the searched for parts of it marked. */
function raw(pieces, text) {
  const wanted = text.toLowerCase();
  let count = 0;
  const marked = (part) => {
    if (!wanted) return shown(part, Infinity);
    const low = part.toLowerCase();
    const made = [];
    let done = 0;
    for (let at = low.indexOf(wanted); at >= 0 && count < 1000; at = low.indexOf(wanted, done)) {
      made.push(shown(part.slice(done, at), Infinity), element('mark', { class: 'hit' }, shown(part.slice(at, at + wanted.length))));
      done = at + wanted.length;
      ++count;
    }
    return [...made, shown(part.slice(done), Infinity)];
  };
  const made = element('pre', { class: 'raw', tabindex: '0', 'aria-label': 'Raw body' }, pieces.map((piece) => (piece.class ? redacted(piece.class) : marked(piece.text))));
  return { made, hits: [...made.querySelectorAll('.hit')] };
}

/** `body` as the control API gives it; `next(from)` asks for what follows. */
export async function bodyView(body, next) {
  let whole = await load(body, next, atOnce);
  let value = parsed(whole);
  let pretty = value !== undefined;
  let root, hits = [], at = -1;
  const place = element('div', { class: 'body' });
  const count = element('span', { role: 'status', class: 'quiet' });
  const search = element('input', { id: 'body-search', type: 'search', placeholder: 'text', oninput: () => look(), onkeydown: (event) => event.key === 'Enter' && step() });
  const mode = button('Raw', () => { pretty = !pretty; show(); }, { 'aria-pressed': 'false' });
  const more = button('Load more', async () => {
    whole = await load(whole, next, Infinity);
    value = parsed(whole);
    show();
  });

  function show() {
    mode.hidden = value === undefined;
    mode.setAttribute('aria-pressed', String(!pretty));
    more.hidden = whole.next === undefined;
    look();
  }
  function look() {
    at = -1;
    if (pretty && value !== undefined) {
      root = tree(value, marks);
      hits = search.value ? find(value, search.value) : [];
      fill(place, root.place);
    } else {
      const { made, hits: found } = raw(whole.pieces, search.value);
      hits = found;
      fill(place, made);
    }
    count.textContent = search.value ? (hits.length === 0 ? 'nothing found' : `${hits.length} found; Enter goes to the next`) : '';
  }
  function step() {
    if (hits.length === 0) return;
    at = (at + 1) % hits.length;
    place.querySelector('.current')?.classList.remove('current');
    const hit = hits[at] instanceof Element ? hits[at] : root.reveal(hits[at]);
    hit.classList.add('current');
    hit.scrollIntoView({ block: 'nearest' });
    count.textContent = `${at + 1} of ${hits.length}`;
  }

  show();
  const cut = whole.cut ? ` Only the beginning is kept.` : '';
  return element('section', { 'aria-label': 'Body' },
    element('div', { class: 'tools' }, element('span', { class: 'quiet' }, `${size(body.bytes)}.${cut}`), mode, more,
      element('label', { for: 'body-search' }, 'Find'), search, count),
    place);
}
