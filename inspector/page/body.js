// Loads a response's body in pieces, with redactions marked. It may be JSON, text, an image, or other bytes.

import { Exact, isNode } from './tree.js';

export const atOnce = 1024 * 1024; // bytes that are loaded without asking

// A redaction inside a text that is parsed as JSON is written between two private characters, with a number that no
// response contains.
const nonce = String(Math.random()).slice(2);
const begin = `\uE000${nonce}:`;
const end = '\uE001';

/** Splits a string of the parsed JSON at its redactions: `[{text}, {kind}, …]`. */
export function marks(text) {
  const pieces = [];
  for (let rest = text; ;) {
    const at = rest.indexOf(begin);
    if (at < 0) return [...pieces, { text: rest }];
    const stop = rest.indexOf(end, at);
    pieces.push({ text: rest.slice(0, at) }, { kind: rest.slice(at + begin.length, stop) });
    rest = rest.slice(stop + 1);
  }
}

/** A string with its redactions as `<CLASS>`. */
export const unmarked = (text) => marks(text).map(({ text: plain, kind }) => (kind ? `<${kind}>` : plain)).join('');

/** Keeps integers that JavaScript would round, where the browser gives their source text. */
const exactly = (_key, value, context) =>
  (typeof value === 'number' && context?.source !== undefined && !/[.eE]/.test(context.source) && String(value) !== context.source ? new Exact(context.source) : value);

/** A value of the tree as JSON text. */
export function jsonText(value, indent = 2) {
  const plain = (one) => (typeof one === 'string' ? unmarked(one) : one instanceof Exact ? Number(one.text)
    : isNode(one) ? (Array.isArray(one) ? one.map(plain) : Object.fromEntries(Object.entries(one).map(([key, inner]) => [unmarked(key), plain(inner)]))) : one);
  return value instanceof Exact ? value.text : JSON.stringify(plain(value), null, indent);
}

const binary = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

export class Body {
  /** `answer` is a response from the control API; `next(from)` loads its body from that byte on. */
  constructor(answer, next) {
    this.next = next;
    this.type = answer.headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value.split(';')[0].trim().toLowerCase() ?? '';
    this.bytes = answer.body.bytes;
    this.pieces = [...answer.body.pieces];
    this.rest = answer.body.next;
    this.isCut = Boolean(answer.body.cut);
  }

  async load(most) {
    while (this.rest !== undefined && this.rest < most) {
      const more = await this.next(this.rest);
      this.pieces.push(...more.pieces);
      this.rest = more.next;
      this.isCut = Boolean(more.cut);
    }
    return this;
  }

  get isWhole() {
    return this.rest === undefined && !this.isCut;
  }
  get isBinary() {
    return this.pieces.some((piece) => piece.base64 !== undefined || piece.text?.includes('\0'));
  }
  /** A raster image that the browser can decode. */
  get isImage() {
    return this.isWhole && /^image\/(png|jpeg|gif|webp|bmp|avif|x-icon|vnd\.microsoft\.icon)$/.test(this.type);
  }
  /** All bytes that were loaded. */
  get data() {
    const encoder = new TextEncoder();
    const parts = this.pieces.map((piece) => (piece.base64 === undefined ? encoder.encode(piece.text) : binary(piece.base64)));
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
    return all;
  }
  /** The object or list; undefined for anything else. */
  get json() {
    if (!this.isWhole || this.isBinary) return undefined;
    try {
      const value = JSON.parse(this.pieces.map((piece) => (piece.class ? begin + piece.class + end : piece.text)).join(''), exactly);
      return isNode(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
}
