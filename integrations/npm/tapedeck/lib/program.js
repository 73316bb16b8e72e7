// Finds the program.

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

/** Leaves out the folders of npm packages, because `tapedeck` there is this package. */
function inPath() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((one) => one && !one.endsWith(join('node_modules', '.bin')));
  return folders.map((folder) => join(folder, 'tapedeck')).find((file) => existsSync(file));
}

const missing = `cannot find the tapedeck program: the optional package @tapedeck/${platform} is not installed`;
const hint = 'install without --omit=optional, or set TAPEDECK_BIN to the path of the program';

/** Returns TAPEDECK_BIN, or the program of the platform's package. Throws if there is none. */
export function installedProgram() {
  const program = process.env.TAPEDECK_BIN || packed();
  if (program) return program;
  throw new Error(`${missing}\nhint: ${hint}`);
}

/** Returns what installedProgram() returns, or `tapedeck` in PATH. Throws if there is none. */
export function findProgram() {
  const program = process.env.TAPEDECK_BIN || packed() || inPath();
  if (program) return program;
  throw new Error(`${missing}, and \`tapedeck\` is not in PATH\nhint: ${hint}`);
}
