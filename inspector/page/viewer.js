// Shows a body: JSON as a tree with a search, images, text, and other bytes as a hex dump.

import { button, copyButton, element, fill, shown } from './elements.js';
import { jsonText, marks } from './body.js';
import { size } from './format.js';
import { find, pathText, redacted, Tree } from './tree.js';

const hexAtOnce = 4096; // bytes

/** Creates a search field; `look(text)` returns the hits, `go(hit)` shows one. */
function searchBar(look, go) {
  let hits = [], at = -1;
  const count = element('span', { role: 'status', class: 'quiet' });
  const search = () => {
    at = -1;
    hits = look(input.value);
    count.textContent = !input.value ? '' : hits.length === 0 ? 'nothing found' : `${hits.length} found; Enter shows the next`;
  };
  const step = (event) => {
    if (event.key !== 'Enter' || hits.length === 0) return;
    event.preventDefault();
    at = (at + (event.shiftKey ? hits.length - 1 : 1)) % hits.length;
    go(hits[at]);
    count.textContent = `${at + 1} of ${hits.length}`;
  };
  const input = element('input', { type: 'search', id: 'body-search', placeholder: 'Find in the response', 'aria-label': 'Find in the response', oninput: search, onkeydown: step });
  return { place: [input, count], again: search };
}

/**
 * Shows the tree, with the path of the chosen value. `patch(path, value)`, if given, creates a form that replaces it.
 */
function jsonView(value, patch) {
  let chosen = { path: [], value };
  const path = element('output', { class: 'path', 'aria-label': 'Path' });
  const form = element('div');
  const offer = button('Patch this value', () => fill(form, patch(chosen.path, chosen.value, path.textContent, () => fill(form))));
  const choose = (keys, at) => {
    chosen = { path: keys, value: at };
    path.textContent = shown(pathText(keys, value), 300);
    offer.disabled = keys.length === 0;
    fill(form);
  };
  const tree = new Tree(value, marks, choose);
  const bar = searchBar((text) => (text ? find(value, text) : []), (hit) => {
    tree.place.querySelector('.hit-now')?.classList.remove('hit-now');
    const made = tree.reveal(hit);
    made.classList.add('hit-now');
    made.scrollIntoView({ block: 'nearest' });
  });
  choose([], value);
  return [
    element('div', { class: 'tools' }, bar.place),
    element('div', { class: 'tools path-bar' }, path, copyButton('Copy path', () => pathText(chosen.path, value)), copyButton('Copy value', () => jsonText(chosen.value)), patch && offer),
    form, tree.place];
}

/** Shows text with the hits of a search marked. */
export function textView(body) {
  const place = element('pre', { class: 'raw', tabindex: '0', 'aria-label': 'Raw body' });
  const show = (text) => {
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
    fill(place, body.pieces.map((piece) => (piece.class ? redacted(piece.class) : marked(piece.text ?? ''))));
    return [...place.querySelectorAll('.hit')];
  };
  const bar = searchBar(show, (hit) => {
    place.querySelector('.hit-now')?.classList.remove('hit-now');
    hit.classList.add('hit-now');
    hit.scrollIntoView({ block: 'nearest' });
  });
  show('');
  return { tools: bar.place, place, again: bar.again };
}

function imageView(body) {
  const canvas = element('canvas', { role: 'img', 'aria-label': 'Image' });
  const note = element('p', { class: 'quiet' }, `${body.type}, ${size(body.bytes)}`);
  createImageBitmap(new Blob([body.data], { type: body.type })).then((image) => {
    Object.assign(canvas, { width: image.width, height: image.height });
    canvas.getContext('2d').drawImage(image, 0, 0);
    canvas.setAttribute('aria-label', `Image, ${image.width} × ${image.height} pixels`);
    note.textContent = `${body.type}, ${image.width} × ${image.height} pixels, ${size(body.bytes)}`;
  }).catch(() => {
    canvas.remove();
    note.textContent = `The browser cannot decode this ${body.type}; Raw shows its bytes.`;
  });
  return [note, element('div', { class: 'image' }, canvas)];
}

/** Shows offset, 16 bytes, and the same bytes as ASCII. */
export function hexView(body) {
  const data = body.data;
  const place = element('pre', { class: 'raw hex', tabindex: '0', 'aria-label': 'Bytes' });
  let shownBytes = 0;
  const more = button('Show more', () => add());
  const add = () => {
    const lines = [];
    const stop = Math.min(data.length, shownBytes + hexAtOnce);
    for (let at = shownBytes; at < stop; at += 16) {
      const row = [...data.subarray(at, Math.min(at + 16, stop))];
      const bytes = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
      lines.push(`${at.toString(16).padStart(8, '0')}  ${bytes.padEnd(47)}  ${row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·')).join('')}\n`);
    }
    shownBytes = stop;
    place.append(lines.join(''));
    more.hidden = shownBytes >= data.length;
  };
  add();
  return [element('p', { class: 'quiet' }, `${body.type || 'No content type'}, ${size(body.bytes)}`), place, more];
}

const cutNote = (body) => body.isCut && element('p', { class: 'quiet' }, `Only the beginning of ${size(body.bytes)} is stored.`);

/** Shows the body according to its type. `patch` is as in jsonView. */
export function prettyView(body, patch) {
  if (body.bytes === 0) return element('p', { class: 'quiet' }, 'The response has no body.');
  const value = body.json;
  if (value !== undefined) return jsonView(value, patch);
  if (body.isImage) return imageView(body);
  return rawView(body);
}

/** Shows the body unchanged. The rest of a long one can be loaded. */
export function rawView(body) {
  if (body.bytes === 0) return element('p', { class: 'quiet' }, 'The response has no body.');
  const place = element('div', { class: 'body' });
  const show = () => {
    const more = body.rest !== undefined && button('Load more', async () => {
      await body.load(Infinity);
      show();
    });
    if (body.isBinary) return fill(place, more, cutNote(body), hexView(body));
    const text = textView(body);
    return fill(place, element('div', { class: 'tools' }, text.tools, element('span', { class: 'quiet' }, size(body.bytes)), more), cutNote(body), text.place);
  };
  show();
  return place;
}
