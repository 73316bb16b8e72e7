// The program while it runs.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Control } from './control.js';
import { findProgram } from './program.js';
import { scopeName } from './scope.js';
import { Tape } from './tape.js';

const patience = 20_000; // milliseconds, to come up and to end
const keptBytes = 16_384; // of what it says
const modes = ['all', 'new', 'once'];

const list = (one) => (one === undefined ? [] : Array.isArray(one) ? one : [one]);

function commandLine({ cassette, overlays, record = 'none', device, serve, args }) {
  const laid = list(overlays).flatMap((file) => ['--overlay', file]);
  if (record === 'none') return ['replay', '--exit-with-parent', ...(serve ? ['--serve', serve] : []), ...laid, ...list(args), ...list(cassette)];
  if (!modes.includes(record)) throw new TypeError(`record: "${record}" is none of "none", "${modes.join('", "')}"`);
  if (!device) throw new TypeError(`record: "${record}" needs \`device\`, the URL of the device`);
  if (list(cassette).length !== 1) throw new TypeError(`record: "${record}" needs one cassette`);
  return ['record', ...(record === 'all' ? [] : ['--mode', record]), '--device', device, ...(serve ? ['--serve', serve] : []), ...laid, ...list(args), ...list(cassette)];
}

export class Server {
  #child;
  #folder;
  #said = '';
  #ended;

  /** Resolves once it answers; rejects with what it said when it does not come up. A test that runs under `tapedeck exec`
   * has that server, whatever the options say. */
  static async start(options) {
    const server = new Server();
    const { TAPEDECK_URL: url, TAPEDECK_CONTROL_URL: control, TAPEDECK_TOKEN: token } = process.env;
    if (url && control && token) {
      server.url = url;
      server.control = new Control(control, token);
    } else {
      await server.#start(options);
    }
    return server;
  }

  async #start(options) {
    this.#folder = mkdtempSync(join(tmpdir(), 'tapedeck-'));
    const ready = join(this.#folder, 'ready');
    const args = [...commandLine(options), '--listen', '127.0.0.1:0', '--control', '127.0.0.1:0', '--ready-file', ready];
    const command = args.shift();
    this.#child = spawn(options.program ?? findProgram(), [command, ...args], { cwd: options.cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', (status, signal) => resolve({ status, signal }));
      this.#child.once('error', (error) => { this.#keep(error.message); resolve({ status: null, signal: null }); });
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => this.#keep(text));
      stream.unref?.();
    }
    process.once('exit', this.#atExit);
    const lines = await this.#whenReady(ready);
    this.#child.unref();
    this.url = lines[0];
    const values = Object.fromEntries(lines.slice(1).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
    this.control = new Control(values.control, values.token);
  }

  #atExit = () => {
    this.#child.kill('SIGTERM');
    rmSync(this.#folder, { recursive: true, force: true });
  };

  #keep(text) {
    this.#said = (this.#said + text).slice(-keptBytes);
  }

  async #whenReady(file) {
    let gone = false;
    this.#ended.then(() => { gone = true; });
    for (const end = Date.now() + patience; Date.now() < end && !gone; await sleep(10)) {
      let text = '';
      try {
        text = readFileSync(file, 'utf8');
      } catch {
        continue; // not there yet
      }
      if (text.endsWith('\n')) return text.trim().split('\n');
    }
    const said = this.#said.trim();
    await this.stop();
    throw new Error(`Tapedeck did not start: ${said || 'it said nothing'}`);
  }

  /** What the program has said so far, the last of it. */
  get output() {
    return this.#said;
  }

  /** A scope for a test; asked again for the same id, its next run. */
  async scope(id) {
    const name = scopeName(id);
    const { run } = await this.control.post('/scope/runs', { name: new Tape(this, name).scope });
    return new Tape(this, name, run);
  }

  /** Ends the program, unless somebody else has started it; its exit status. */
  async stop() {
    if (!this.#child) return 0;
    process.removeListener('exit', this.#atExit);
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child.kill('SIGKILL'), patience);
    const { status } = await this.#ended;
    clearTimeout(late);
    rmSync(this.#folder, { recursive: true, force: true });
    return status;
  }
}

const shared = new Map();

/** One server for all tests of this process that give the same options. It goes when the process ends. */
export function sharedServer(options) {
  const key = JSON.stringify(options);
  if (!shared.has(key)) shared.set(key, Server.start(options));
  return shared.get(key);
}

export async function stopShared() {
  const servers = await Promise.allSettled([...shared.values()]);
  shared.clear();
  for (const { value } of servers) await value?.stop();
}
