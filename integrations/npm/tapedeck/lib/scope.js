// Converts a test's ID to the name of a scope.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const mostBytes = 1000;
const shortened = 180; // characters
const controls = /[\u0000-\u001f\u007f-\u009f]/gu;

/** Returns a test's file relative to the nearest folder with a package.json, regardless of the current folder. */
export function fromRoot(file) {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return relative(folder, file).split(sep).join('/');
  }
  return relative(process.cwd(), file).split(sep).join('/');
}

/**
 * Returns the name, not yet encoded. An ID that is not a valid scope name (too long, or with control characters) is
 * cut and gets 16 hex digits of its SHA-256, so that it stays unique.
 */
export function scopeName(id) {
  const text = Buffer.from(id).toString(); // without lone surrogates
  if (Buffer.byteLength(text) <= mostBytes && text.search(controls) < 0) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${[...text.replace(controls, ' ')].slice(0, shortened).join('')}~${hash}`;
}

/** Returns a regular expression for this text, for the options with which runners select tests. */
export const literally = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Returns the name as in JSON, options, and the journal. */
export function spelled(name, run = 1) {
  const text = name.replace(/[%#;]/g, (one) => encodeURIComponent(one));
  return run > 1 ? `${text}#${run}` : text;
}

/** Returns the name as in the header. */
export function inHeader(name, run = 1) {
  return run > 1 ? `${encodeURIComponent(name)}#${run}` : encodeURIComponent(name);
}

/** Returns the name as the first segment of a path. */
export function segment(name, run = 1) {
  return run > 1 ? `/~scope/${encodeURIComponent(name)};${run}` : `/~scope/${encodeURIComponent(name)}`;
}
