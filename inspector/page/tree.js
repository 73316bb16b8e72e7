// JSON as a tree: nodes are made when they are opened, so that a large answer costs nothing until it is looked into.

import { button, element, shown } from './elements.js';

const most = 200; // children that are made at once

/** A number that JavaScript would round: as it was written. */
export class Exact {
  constructor(text) {
    this.text = text;
  }
  toString() {
    return this.text;
  }
}

const isNode = (value) => value !== null && typeof value === 'object' && !(value instanceof Exact);

/** A string with its redactions marked. `marks` gives the pieces of a string that has some. */
function scalar(value, marks) {
  if (typeof value !== 'string') return element('span', { class: typeof value === 'number' || value instanceof Exact ? 'number-value' : 'word-value' }, String(value));
  return element('span', { class: 'string-value' }, '"', marks(value).map(({ text, kind }) => (kind ? redacted(kind) : shown(text, 10_000))), '"');
}

export const redacted = (kind) => element('mark', { title: `redacted: ${kind}` }, `‹${kind}›`);

class Branch {
  #children = new Map();
  #made = 0;

  constructor(name, value, marks, depth) {
    this.value = value;
    this.marks = marks;
    this.depth = depth;
    this.keys = Object.keys(value);
    this.inside = element('div', { class: 'inside', role: 'group' });
    const kind = Array.isArray(value) ? `[${this.keys.length}]` : `{${this.keys.length}}`;
    this.place = element('details', { class: 'branch', ontoggle: () => this.#fill() },
      element('summary', {}, name, element('span', { class: 'quiet' }, kind)), this.inside);
    if (depth < 2 && this.keys.length <= 50) this.open();
  }

  open() {
    this.place.open = true;
    this.#fill();
  }

  #fill() {
    if (this.place.open && this.#made === 0) this.#more(most);
  }

  #more(count) {
    this.inside.querySelector(':scope > .more')?.remove();
    const end = Math.min(this.keys.length, this.#made + count);
    for (; this.#made < end; ++this.#made) {
      const child = node(this.keys[this.#made], this.value[this.keys[this.#made]], this.marks, this.depth + 1);
      this.#children.set(this.keys[this.#made], child);
      this.inside.append(child.place);
    }
    const left = this.keys.length - this.#made;
    if (left > 0) this.inside.append(button(`${left} more`, () => this.#more(most), { class: 'more' }));
  }

  /** The element at a path of keys, made and opened on the way. */
  reveal([key, ...rest]) {
    if (key === undefined) return this.place;
    this.open();
    const at = this.keys.indexOf(key);
    if (at >= this.#made) this.#more(at - this.#made + 1);
    const child = this.#children.get(key);
    return rest.length > 0 && child.reveal ? child.reveal(rest) : child.place;
  }
}

function node(key, value, marks, depth) {
  const name = key === null ? null : element('span', { class: 'key' }, shown(key, 300), ': ');
  if (isNode(value)) return new Branch(name, value, marks, depth);
  return { place: element('div', { class: 'leaf' }, name, scalar(value, marks)) };
}

export const tree = (value, marks) => node(null, value, marks, 0);

/** The paths, in order, at which a key or a value has the text; at most `limit`. */
export function find(value, text, limit = 1000) {
  const wanted = text.toLowerCase();
  const found = [];
  const holds = (part) => String(part).toLowerCase().includes(wanted);
  const left = [[value, []]];
  while (left.length > 0 && found.length < limit) {
    const [at, path] = left.pop();
    if (path.length > 0 && (holds(path.at(-1)) || (!isNode(at) && holds(at)))) found.push(path);
    if (isNode(at)) left.push(...Object.keys(at).map((key) => [at[key], [...path, key]]).reverse());
  }
  return found;
}
