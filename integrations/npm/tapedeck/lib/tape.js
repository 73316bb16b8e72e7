// Represents the recording for one test: its URL, and the server's records of its requests.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { toTerminal } from './lines.js';
import { remedyLines, report } from './report.js';
import { inHeader, segment, spelled } from './scope.js';

const page = 1000; // entries; the most that GET /journal gives
const patience = 20_000; // milliseconds, for a request to hold
const kept = 2000; // entries that a report looks back

/** Returns "Core.Network/get" or "Core.Network/1/get" as a match of POST /assert. */
function matchOf(call) {
  if (typeof call !== 'string') return call;
  const [api, ...rest] = call.split('/');
  const method = rest.pop();
  return { api, ...(rest.length > 0 ? { version: rest[0] } : {}), ...(method ? { method } : {}) };
}

/** Returns "Core.Network/get" as a pattern of overlays, with any version. */
const callPattern = (call) => (call.split('/').length === 2 ? call.replace('/', '/*/') : call);

export class Tape {
  #control;
  #name;
  #overlays = [];
  #effects = [];
  #isRecording;
  #remedy;

  /**
   * `run` is 1 for the first run. Without a `name`, the object is for requests outside of scopes. `runner` is the
   * command line that runs the test, for the remedy of a miss.
   */
  constructor(server, name, run = 1, runner = undefined) {
    this.#control = server.control;
    this.#remedy = runner && ((shown) => remedyLines(shown, server.cassettes, runner));
    this.#name = name;
    this.run = run;
    this.scope = name === undefined ? undefined : spelled(name, run);
    this.serverUrl = server.url;
    this.url = server.url + (name === undefined ? '' : segment(name, run));
    this.headers = name === undefined ? {} : { 'X-Tapedeck-Scope': inHeader(name, run) };
    this.controlUrl = server.control.url;
    this.token = server.control.token;
  }

  /** Returns the journal's entries of this scope. */
  async requests(filter = {}) {
    const scope = this.scope === undefined ? {} : { scope: this.scope };
    const { total, oldest } = await this.#control.get('/journal', { limit: 1 });
    const entries = [];
    for (let from = Math.max(oldest ?? 1, total - kept, 1); from <= total;) {
      const found = await this.#control.get('/journal', { ...filter, ...scope, from, limit: page });
      entries.push(...found.entries);
      if (found.next === undefined || found.next <= from) break;
      from = found.next;
    }
    return entries;
  }

  async misses() {
    return this.requests({ outcome: 'miss' });
  }

  /** Throws unless the call was made: at least once, or as in `expected` (`{ count: 2 }`, `{ never: true }`). */
  async assertCalled(call, expected = { at_least: 1 }) {
    const scope = this.scope === undefined ? {} : { scope: this.scope };
    const said = await this.#control.post('/assert', { match: { ...matchOf(call), ...scope }, ...expected });
    if (said.holds) return said;
    throw new Error(`${JSON.stringify(matchOf(call))} was called ${said.count} times, expected ${JSON.stringify(expected)}\n${await this.report()}`);
  }

  /**
   * Adds overlays for this test alone (docs/mocking.md). Those of a later call take precedence over those of an
   * earlier one.
   */
  async overlay(...rules) {
    await this.#post([...rules, ...this.#overlays], this.#effects);
  }

  /**
   * Declares changes of writes to later responses, for this test alone (docs/mocking.md). While recording, effects are
   * left out, because every response comes from the device: a line reports this, and the result is false.
   */
  async effects(...effects) {
    if (await this.isRecording()) {
      toTerminal('[tapedeck] effects are left out while recording');
      return false;
    }
    await this.#post(this.#overlays, [...this.#effects, ...effects]);
    return true;
  }

  async #post(overlays, effects) {
    const scope = this.#name === undefined ? {} : { scope: spelled(this.#name) };
    await this.#control.post('/overlays', { set: this.#set, ...scope, overlays, ...(effects.length > 0 ? { effects } : {}) });
    this.#overlays = overlays;
    this.#effects = effects;
  }

  /** True if the server forwards requests to a device. */
  async isRecording() {
    this.#isRecording ??= (await this.#control.get('/state')).device !== undefined;
    return this.#isRecording;
  }

  /**
   * Returns the latest time at which a response of this test was recorded, as a Date for fake timers. Before the first
   * response, this is the start of the recording to replay. It never goes back. While the test is recorded, it is the
   * current time; without a recording, it is undefined.
   */
  async clock() {
    const { now } = await this.#control.get('/clock', this.scope === undefined ? {} : { scope: this.scope });
    return now === null ? undefined : new Date(now);
  }

  /**
   * Breaks the responses to the calls that `rule` names, or all responses: "reset", "close", "cut", "hang", "garbage",
   * or "empty".
   */
  async fault(kind, rule = {}) {
    await this.overlay({ ...(rule.path === undefined ? { call: '*/*/*' } : {}), ...rule, fault: kind });
  }

  /**
   * Holds the responses to a call, or to the calls of an overlay's conditions, until `release()`, so that a test can look
   * at what a page shows meanwhile.
   */
  async hold(call) {
    const name = `hold ${randomUUID()}`;
    await this.overlay({ ...(typeof call === 'string' ? { call: callPattern(call) } : call), name, hold: true });
    const isOurs = ({ overlay }) => overlay.split(', ').includes(name);
    const waiting = async () => (await this.#control.get('/held')).held.filter(isOurs);
    return {
      waiting,
      /** Lets all waiting responses go, with a change if one is given; waits for the first one. Later ones do not wait. */
      release: async (change = {}) => {
        const end = Date.now() + patience;
        while ((await waiting()).length === 0 && Date.now() < end) await sleep(20);
        if ((await waiting()).length === 0) throw new Error(`no request to hold came within ${patience / 1000} s`);
        const left = this.#overlays.filter((one) => one.name !== name);
        await (left.length + this.#effects.length > 0 ? this.#post(left, this.#effects) : this.clearOverlays());
        return (await this.#control.post('/held/release', { overlay: name, ...change })).released.length;
      },
    };
  }

  /** Removes the overlays and effects that this object declared. */
  async clearOverlays() {
    if (this.#overlays.length + this.#effects.length > 0) await this.#control.post('/overlays/delete', { set: this.#set });
    this.#overlays = [];
    this.#effects = [];
  }

  /**
   * Opens a port for this test, for clients that accept only host and port, and returns its URL. It closes with the
   * test.
   */
  async port() {
    return (await this.#control.post('/scope', { name: this.scope, listen: '127.0.0.1:0' })).url;
  }

  /** Reports the test's result. The recording of a failed test is not kept. The helpers for runners call it. */
  async finish(ok) {
    await this.clearOverlays();
    if (this.scope !== undefined) await this.#control.post('/scope/result', { name: this.scope, ok });
  }

  get #set() {
    return `test ${this.scope ?? ''}`;
  }

  /** Returns the report of a failing test. */
  async report() {
    const hintsOf = async ({ number }) => {
      const shown = await this.#control.get(`/requests/${number}`).catch(() => ({})); // it may be too old
      return shown.remedy && this.#remedy ? this.#remedy(shown) : [shown.hint];
    };
    return report(await this.requests(), this.scope ?? '', hintsOf);
  }

  /** Inserts the report, and a hint, into an error's text, where runners show it. */
  async explain(error, hint) {
    const report = await this.report().catch((fault) => `Tapedeck: no report: ${fault.message}`);
    const text = hint ? `${report}\nhint: ${hint}` : report;
    if (typeof error?.message !== 'string') return error;
    const before = error.message;
    error.message = `${before}\n\n${text}`;
    if (typeof error.stack === 'string') error.stack = error.stack.replace(before, () => error.message);
    return error;
  }
}
