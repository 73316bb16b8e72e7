// Runs the program.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Control } from './control.js';
import { Lines, toTerminal } from './lines.js';
import { findProgram } from './program.js';
import { scopeName } from './scope.js';
import { Tape } from './tape.js';

const patience = 20_000; // milliseconds, to come up and to end
const modes = ['all', 'new', 'once'];

const list = (one) => (one === undefined ? [] : Array.isArray(one) ? one : [one]);

/**
 * Returns the arguments of `replay` for the options, or of `record` where it accepts them. Prints the options that
 * recording leaves out.
 */
function responseArguments({ overlays, effects, bind }, record, lines) {
  const files = list(effects || undefined).filter((one) => one !== true);
  const given = [
    ['overlays', ['none', 'new', 'once'], list(overlays).flatMap((file) => ['--overlay', file])],
    ['effects', ['none'], [...(effects === true ? ['--effects'] : []), ...files.flatMap((file) => ['--overlay', file])]],
    ['bind', ['none', 'new'], list(bind).flatMap((name) => ['--bind', name])],
  ].filter(([, , words]) => words.length > 0);
  for (const [name, taken] of given) if (!taken.includes(record)) lines.say(`${name}: left out with record: '${record}'`);
  return given.flatMap(([, taken, words]) => (taken.includes(record) ? words : []));
}

function commandLine(options, lines) {
  const { cassette, record = 'none', device, rerecord, serve, args } = options;
  if (record !== 'none' && !modes.includes(record)) throw new TypeError(`record must be "none", "${modes.join('", "')}", not "${record}"`);
  const common = ['--exit-with-stdin', ...responseArguments(options, record, lines), ...(serve ? ['--serve', serve] : []),
    ...list(rerecord).flatMap((name) => ['--rerecord', name]), ...list(args), ...list(cassette)];
  if (record === 'none') return ['replay', ...common];
  if (!device) throw new TypeError(`record: "${record}" requires \`device\`, the URL of the device`);
  if (list(cassette).length !== 1) throw new TypeError(`record: "${record}" requires exactly one cassette`);
  return ['record', ...(record === 'all' ? [] : ['--mode', record]), '--device', device, ...common];
}

/** Adds the names of this machine to NO_PROXY, as `tapedeck exec` does. */
function bypassProxies() {
  for (const name of ['NO_PROXY', 'no_proxy']) {
    const names = (process.env[name] ?? '').split(',').filter(Boolean);
    if (!names.includes('*')) process.env[name] = [...new Set([...names, '127.0.0.1', 'localhost', '::1'])].join(',');
  }
}

/** Returns a path relative to the working directory if it is in there. */
export const within = (file) => {
  const path = relative('', resolve(file));
  return path.startsWith('..') ? resolve(file) : path;
};

const real = (file) => {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
};

/** Returns the server of `tapedeck exec`, unless it has no cassette and `options` name one. */
function serverOfExec(options, lines) {
  const { TAPEDECK_URL: url, TAPEDECK_CONTROL_URL: control, TAPEDECK_TOKEN: token, TAPEDECK_CASSETTES } = process.env;
  if (!url || !control || !token) return undefined;
  const say = (line) => (process.env.TEST_PARALLEL_INDEX ?? '0') === '0' && lines.say(line); // one of Playwright's workers
  const ours = list(options?.cassette);
  if (TAPEDECK_CASSETTES === '' && ours.length > 0) return undefined;
  const theirs = TAPEDECK_CASSETTES?.split(delimiter).map(real);
  const others = theirs ? ours.filter((one) => !theirs.includes(real(resolve(options.cwd ?? '', one)))) : [];
  for (const one of others) say(`ignoring ${one}: \`tapedeck exec\` uses its own cassettes; add this one to its command line`);
  const unused = ['overlays', 'effects', 'bind', 'rerecord', 'args'].filter((name) => list(options?.[name] || undefined).length > 0);
  if (unused.length > 0) say(`ignoring ${unused.join(', ')}: \`tapedeck exec\` has options of its own; add these to its command line`);
  return { url, control: new Control(control, token), cassettes: (TAPEDECK_CASSETTES || undefined)?.split(delimiter).map(within) ?? [] };
}

export class Server {
  #child;
  #folder;
  #ended;
  #watch;

  /** True if `tapedeck exec` started it. */
  isOfExec = false;
  /** Paths of its cassettes, relative to the working directory of this process if they are in there. */
  cassettes = [];
  lines;

  constructor(show) {
    this.lines = new Lines(show);
  }

  /**
   * Resolves once the server responds; rejects with its output if it does not start. Under `tapedeck exec`, its server
   * is used, so that one run can be repeated with other cassettes; the cassettes of `options` are used only if it has
   * none. `show` receives warnings and the page's link.
   */
  static async start(options, show = toTerminal) {
    const server = new Server(show);
    const found = serverOfExec(options, server.lines);
    if (found) Object.assign(server, found, { isOfExec: true });
    else await server.#start(options);
    return server;
  }

  async #start(options = {}) {
    this.#folder = mkdtempSync(join(tmpdir(), 'tapedeck-'));
    const ready = join(this.#folder, 'ready');
    const [command, ...args] = commandLine(options, this.lines);
    // Its standard input is a pipe to which nothing is written. The pipe, and so the program, ends when this process or
    // thread ends, for any reason. It has its own session, so that Ctrl-C reaches only the test runner.
    this.#child = spawn(options.program ?? findProgram(), [command, ...args, '--listen', '127.0.0.1:0', '--control', '127.0.0.1:0',
      '--ready-file', ready], { cwd: options.cwd, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    bypassProxies();
    this.#ended = new Promise((done) => {
      this.#child.once('exit', (status, signal) => done({ status, signal }));
      this.#child.once('error', (error) => { this.lines.add(`${error.message}\n`); done({ status: null, signal: null }); });
    });
    this.#child.stdin.on('error', () => {}).unref();
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => this.lines.add(text)).unref();
    }
    process.once('exit', this.#atExit);
    process.once('disconnect', this.#atExit);  // for a worker whose runner has ended
    // `node --test` runs a file in a process that does not end with the runner, so the parent is watched.
    if (process.env.NODE_TEST_CONTEXT) this.#watch = setInterval((parent) => process.ppid === parent || this.#atExit(), 250, process.ppid).unref();
    const lines = await this.#whenReady(ready);
    this.#child.unref();
    this.url = lines[0];
    this.cassettes = list(options.cassette).map((file) => within(resolve(options.cwd ?? '', file)));
    const values = Object.fromEntries(lines.slice(1).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
    this.control = new Control(values.control, values.token);
    if (values.page) this.lines.say(`page: ${values.page}`);
  }

  #atExit = () => {
    this.#child.kill('SIGTERM');
    rmSync(this.#folder, { recursive: true, force: true });
  };

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
    const said = this.output.trim();
    await this.stop();
    throw new Error(`Tapedeck did not start: ${said || 'no output'}`);
  }

  /** The last part of the program's output. */
  get output() {
    return this.lines.text;
  }

  /** Returns a scope for a test; when called again for the same ID, its next run. `runner` is as for Tape. */
  async scope(id, runner) {
    const name = scopeName(id);
    const { run } = await this.control.post('/scope/runs', { name: new Tape(this, name).scope });
    return new Tape(this, name, run, runner);
  }

  /** Ends the program, unless `tapedeck exec` started it, and returns its exit status. A recording is then finished. */
  async stop() {
    if (!this.#child) return 0;
    clearInterval(this.#watch);
    process.removeListener('exit', this.#atExit);
    process.removeListener('disconnect', this.#atExit);
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child.kill('SIGKILL'), patience);
    const { status } = await this.#ended;
    clearTimeout(late);
    rmSync(this.#folder, { recursive: true, force: true });
    return status;
  }
}

const shared = new Map();

/**
 * Returns one server for all tests of this process with the same options. It ends with the process, or by
 * stopShared().
 */
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
