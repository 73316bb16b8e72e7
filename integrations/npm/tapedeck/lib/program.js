// Where the program is.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

const platform = `${process.platform}-${process.arch}`;

function packed() {
  try {
    return createRequire(import.meta.url).resolve(`@tapedeck/${platform}/bin/tapedeck`);
  } catch {
    return undefined;
  }
}

function inPath() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, 'tapedeck')).find((file) => existsSync(file));
}

/** Returns TAPEDECK_BIN, or the program of the platform's package, or `tapedeck` in PATH. Throws if there is none. */
export function findProgram() {
  const program = process.env.TAPEDECK_BIN || packed() || inPath();
  if (program) return program;
  throw new Error(`cannot find the tapedeck program: the optional package @tapedeck/${platform} is not installed, and ` +
    '`tapedeck` is not in PATH\nhint: install without --omit=optional, or set TAPEDECK_BIN to the path of the program');
}
