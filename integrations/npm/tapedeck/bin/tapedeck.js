#!/usr/bin/env node
// `npx tapedeck`: runs the program, passes signals on, and exits with its status.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { installedProgram } from '../lib/program.js';

try {
  const program = spawn(installedProgram(), process.argv.slice(2), { stdio: 'inherit' });
  process.on('SIGINT', () => {}); // a terminal sends it to the program, too
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => program.kill(signal));
  program.on('error', ({ message }) => { console.error(`tapedeck: ${message}`); process.exitCode = 1; });
  program.on('exit', (status, signal) => { process.exitCode = status ?? 128 + constants.signals[signal]; });
} catch ({ message }) {
  console.error(`tapedeck: ${message}`);
  process.exitCode = 1;
}
