// Shows JSON as a tree with keyboard navigation. Nodes are created when they are opened, so that a large response costs
// little.

import { element, shown } from './elements.js';

const most = 200; // children that are made at once

/** A number that JavaScript would round, in its original spelling. */
export class Exact {
  constructor(text) {
    this.text = text;
  }
  toString() {
    return this.text;
  }
}

export const isNode = (value) => value !== null && typeof value === 'object' && !(value instanceof Exact);
export const redacted = (kind) => element('mark', { class: 'redacted', title: `redacted: ${kind}` }, `‹${kind}›`);

const item = (attributes, ...children) => element('div', { role: 'treeitem', tabindex: '-1', ...attributes }, ...children);

function scalar(value, marks) {
  if (typeof value !== 'string') return element('span', { class: typeof value === 'number' || value instanceof Exact ? 'number-value' : 'word-value' }, String(value));
  return element('span', { class: 'string-value' }, '"', marks(value).map(({ text, kind }) => (kind ? redacted(kind) : shown(text, 10_000))), '"');
}

/** True for a value with few nodes, which is shown opened. */
function isSmall(value, most = 120) {
  const left = [value];
  for (let count = 0; left.length > 0; ++count) {
    const at = left.pop();
    if (count + left.length > most) return false;
    if (isNode(at)) left.push(...Object.values(at));
  }
  return true;
}

/** A leaf, or the base of a branch: `path` is the list of keys that lead to it. */
class Node {
  constructor(path, value, tree) {
    Object.assign(this, { path, value, tree });
    this.place = item({ class: 'leaf' }, element('span', { class: 'line' }, this.name(), scalar.call(null, value, tree.marks)));
    tree.nodes.set(this.place, this);
  }
  name() {
    const key = this.path.at(-1);
    return key === undefined ? null : element('span', { class: 'key' }, shown(key, 300), ': ');
  }
}

class Branch extends Node {
  #children = new Map();
  #made = 0;

  constructor(path, value, tree) {
    super(path, '', tree);
    this.value = value;
    this.keys = Object.keys(value);
    this.inside = element('div', { class: 'inside', role: 'group', hidden: true });
    const kind = Array.isArray(value) ? `[${this.keys.length}]` : `{${this.keys.length}}`;
    this.place.className = 'branch';
    this.place.setAttribute('aria-expanded', 'false');
    this.place.replaceChildren(element('span', { class: 'line' }, this.name(), element('span', { class: 'quiet' }, kind)), this.inside);
    if (tree.opensAll || (path.length < 2 && this.keys.length <= 50)) this.open(true);
  }

  get isOpen() {
    return !this.inside.hidden;
  }
  open(isOn) {
    this.inside.hidden = !isOn;
    this.place.setAttribute('aria-expanded', String(isOn));
    if (isOn && this.#made === 0) this.more(most);
  }
  more(count) {
    this.inside.querySelector(':scope > .more')?.remove();
    const end = Math.min(this.keys.length, this.#made + count);
    for (; this.#made < end; ++this.#made) {
      const key = this.keys[this.#made];
      const child = this.tree.node([...this.path, key], this.value[key]);
      this.#children.set(key, child);
      this.inside.append(child.place);
    }
    const left = this.keys.length - this.#made;
    if (left === 0) return;
    const rest = item({ class: 'more' }, `${left} more`);
    this.tree.nodes.set(rest, { showRest: () => this.more(most) });
    this.inside.append(rest);
  }
  /** The node at a path of keys below this one; branches on the way are opened. */
  reveal([key, ...rest]) {
    if (key === undefined) return this;
    this.open(true);
    const at = this.keys.indexOf(key);
    if (at >= this.#made) this.more(at - this.#made + 1);
    const child = this.#children.get(key);
    return rest.length > 0 && child.reveal ? child.reveal(rest) : child;
  }
}

/** `marks(text)` splits a string at its redactions; `selected(path, value)` is called when a node is chosen. */
export class Tree {
  nodes = new WeakMap();
  #current = null;

  constructor(value, marks, selected) {
    this.marks = marks;
    this.selected = selected;
    this.opensAll = isSmall(value);
    this.root = this.node([], value);
    this.place = element('div', { class: 'json', role: 'tree', 'aria-label': 'Response as JSON', onclick: (event) => this.#click(event), onkeydown: (event) => this.#key(event), onfocusin: ({ target }) => this.#focus(target) }, this.root.place);
    this.root.place.tabIndex = 0;
    this.#current = this.root.place;
  }

  node(path, value) {
    return isNode(value) ? new Branch(path, value, this) : new Node(path, value, this);
  }
  reveal(path) {
    const node = this.root.reveal ? this.root.reveal(path) : this.root;
    this.#select(node.place, false);
    return node.place;
  }

  #select(place, takesFocus) {
    this.#current.tabIndex = -1;
    this.#current.removeAttribute('aria-selected');
    this.#current = place;
    place.tabIndex = 0;
    place.setAttribute('aria-selected', 'true');
    if (takesFocus) place.focus();
    const node = this.nodes.get(place);
    if (node.path) this.selected(node.path, node.value);
  }
  #focus(place) {
    if (place !== this.#current && this.nodes.has(place)) this.#select(place, false);
  }
  #activate(place) {
    const node = this.nodes.get(place);
    if (node.showRest) {
      const before = place.previousElementSibling;
      node.showRest();
      this.#select(before, true);
    } else if (node.open) {
      node.open(!node.isOpen);
    }
  }
  #click(event) {
    const place = event.target.closest('[role=treeitem]');
    if (!place) return;
    if (!this.nodes.get(place).showRest) this.#select(place, true);
    if (getSelection()?.isCollapsed !== false) this.#activate(place);
  }
  #key(event) {
    const at = this.#current;
    const node = this.nodes.get(at);
    const visible = () => [...this.place.querySelectorAll('[role=treeitem]')].filter((one) => one.closest('[hidden]') === null);
    const go = (place) => place && this.#select(place, true);
    const moves = {
      ArrowDown: () => go(visible()[visible().indexOf(at) + 1]),
      ArrowUp: () => go(visible()[visible().indexOf(at) - 1]),
      Home: () => go(this.root.place),
      End: () => go(visible().at(-1)),
      ArrowRight: () => (node.open && !node.isOpen ? node.open(true) : go(node.inside?.firstElementChild)),
      ArrowLeft: () => (node.open && node.isOpen ? node.open(false) : go(at.parentElement.closest('[role=treeitem]'))),
      Enter: () => this.#activate(at),
      ' ': () => this.#activate(at),
    };
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    moves[event.key]();
  }
}

/** Finds the paths, in order, at which a key or a value contains the text. */
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

/** Returns a path as in a script: `data.shares[0].name`. */
export const pathText = (path, value) => {
  let text = '';
  let at = value;
  for (const key of path) {
    text += Array.isArray(at) ? `[${key}]` : /^[A-Za-z_$][\w$]*$/.test(key) ? `${text && '.'}${key}` : `[${JSON.stringify(key)}]`;
    at = at?.[key];
  }
  return text || '(whole response)';
};

/** Returns a path as in a patch (RFC 6901): `/data/shares/0/name`. */
export const pointer = (path) => path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
