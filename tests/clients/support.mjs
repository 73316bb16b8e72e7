// Shared by the tests with real clients: servers of the built program, the tests' device, and a temporary folder.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const account = 'fixture-admin';
export const password = 'Corr3ct&Horse/Battery=9';

/** Starts Debian's Chromium headless, without requests to other hosts. */
export const chromium = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  timeout: 120_000,
  args: [
    '--no-sandbox', '--headless', '--disable-gpu', '--disable-quic', '--no-first-run', '--no-proxy-server',
    '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
  ],
};

/** Steps of long runs alone. */
export const inLongRuns = (steps) => (process.env.TAPEDECK_LONG ? steps : {});

const deadline = 60_000; // milliseconds, for a program to come up or to end on a busy machine

/** The environment of all programs: requests to loopback bypass proxies, and nothing is stored in the home folder. */
export function environment(folder, more = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name) && !/^SYNO_/.test(name));
  return { ...Object.fromEntries(inherited), NO_PROXY: '*', XDG_STATE_HOME: join(folder, 'state'), ...more };
}

async function until(condition, child, what) {
  const end = Date.now() + deadline;
  for (;;) {
    const value = condition();
    if (value) return value;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${what} ended: ${child.said}`);
    if (Date.now() > end) throw new Error(`${what} is not there after ${deadline} ms: ${child.said}`);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}

/** Programs under test, which close() stops, and a folder that is removed when the process ends. */
export class Bench {
  folder = mkdtempSync(join(tmpdir(), 'tapedeck-clients-'));
  #children = [];
  #count = 0;

  constructor(program, device) {
    this.program = program;
    this.deviceProgram = device;
    // A test that throws or is terminated leaves no server and no file.
    process.on('exit', () => {
      this.#children.forEach((child) => child.kill('SIGKILL'));
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    });
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  }

  #start(program, args) {
    const child = spawn(program, args, { env: environment(this.folder), stdio: ['pipe', 'pipe', 'pipe'] });
    child.said = '';
    child.out = '';
    child.stdout.on('data', (text) => (child.out += text));
    child.stderr.on('data', (text) => (child.said += text));
    child.on('error', (error) => (child.said += error.message));
    this.#children.push(child);
    return child;
  }

  /** Starts the tests' device on a free port; `url` is set once it responds. */
  async device(...args) {
    const child = this.#start(this.deviceProgram, args);
    child.url = await until(() => /^(http\S+)\n/.exec(child.out)?.[1], child, 'the device');
    return child;
  }

  /** Starts `tapedeck ARGUMENTS` on a free port; `url` and the other `values` are those of its ready file. */
  async server(...args) {
    const ready = join(this.folder, `ready-${++this.#count}`);
    const child = this.#start(this.program, [...args, '--listen', '127.0.0.1:0', '--ready-file', ready]);
    child.url = await until(() => existsSync(ready) && readFileSync(ready, 'utf8').split('\n')[0], child, args[0]);
    const lines = readFileSync(ready, 'utf8').trim().split('\n').slice(1);
    child.values = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
    return child;
  }

  /** Terminates a program and returns its exit status. */
  async stop(child) {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), deadline);
    const [status] = await ended;
    clearTimeout(late);
    return status;
  }

  /** Returns the self-signed certificate that `--tls` generated and stored. */
  get certificate() {
    return join(this.folder, 'state', 'tapedeck', 'tls', 'tapedeck-cert.pem');
  }

  async close() {
    for (const child of this.#children) await this.stop(child);
  }
}

/** Runs the steps in order, prints which one failed, and ends the process with 0 or 1. */
export async function run(bench, steps) {
  const failed = [];
  for (const [name, step] of Object.entries(steps)) {
    const began = performance.now();
    try {
      await step();
      console.log(`ok: ${name} (${Math.round(performance.now() - began)} ms)`);
    } catch (error) {
      failed.push(name);
      console.log(`FAILED: ${name}\n${error.stack}`);
    }
  }
  await bench.close();
  // Repeats the message at the end of a long log, where readers look first.
  for (const name of failed) console.log(`FAILED: ${name}`);
  process.exit(failed.length > 0 ? 1 : 0);
}
