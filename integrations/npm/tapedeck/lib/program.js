// Finds the program.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const platform = `${process.platform}-${process.arch}`;

/** The package contains the programs of all platforms, so that installing it from a file needs no registry. */
function packed() {
  const program = fileURLToPath(new URL(`../programs/${platform}/tapedeck`, import.meta.url));
  return existsSync(program) ? program : undefined;
}

/** Leaves out the folders of npm packages, because `tapedeck` there is this package. */
function inPath() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((one) => one && !one.endsWith(join('node_modules', '.bin')));
  return folders.map((folder) => join(folder, 'tapedeck')).find((file) => existsSync(file));
}

const missing = `cannot find the tapedeck program: this package contains none for ${platform}`;
const hint = 'set TAPEDECK_BIN to the path of the program';

/** Returns TAPEDECK_BIN, or the package's program for this platform. Throws if there is none. */
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
