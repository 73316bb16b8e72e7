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

/** TAPEDECK_BIN, else that of the platform's package, else `tapedeck` in PATH; an error that says what is missing. */
export function findProgram() {
  const program = process.env.TAPEDECK_BIN || packed() || inPath();
  if (program) return program;
  throw new Error(`Tapedeck has no program here: the package @tapedeck/${platform} is not installed (it is an optional ` +
    'dependency: is it left out by --omit=optional, or is there none for this platform?), and `tapedeck` is not in PATH. ' +
    'TAPEDECK_BIN may name one.');
}
