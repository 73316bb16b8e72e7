// Stores the page's data. Only the store changes it; views are functions of it.

import { get, Refused } from './control.js';
import { events } from './stream.js';

const most = 10_000; // rows
const mostValues = 200; // of each field

const noCounts = () => ({ all: 0 });

class Store extends EventTarget {
  state = null; ///< the server's `GET /state`
  rows = []; ///< journal entries and gaps, in order of their numbers
  connection = 'connecting'; ///< connecting, live, lost, refused
  counts = noCounts(); ///< by outcome, since the page was opened or cleared
  paused = null; ///< the rows at the moment when somebody paused the list
  startedAt = 0; ///< when the server's journal began, in milliseconds since the epoch
  values = { outcome: new Set(), api: new Set(), scope: new Set(), session: new Set() }; ///< that occurred
  #next = undefined; ///< the number of the next entry
  #isWaiting = false;

  /** True if a recording is made, even beside a replay (`record --mode new`). */
  get records() {
    return Boolean(this.state?.learned);
  }

  /** True on `record`, where nothing is replayed. */
  get isRecording() {
    return this.records && this.state.counters.miss === undefined;
  }

  /** Reads the stream without end: resumes by number after a lost connection, and stops if the token is refused. */
  async follow() {
    for (;;) {
      try {
        await this.#begin();
        await events(this.#next, (name, data) => this.#take(name, data));
        this.#set('lost');
      } catch (error) {
        this.#set(error instanceof Refused && error.status === 401 ? 'refused' : 'lost');
        if (this.connection === 'refused') return;
      }
      await new Promise((wake) => setTimeout(wake, 1000));
    }
  }

  clear() {
    this.rows = [];
    this.paused = null;
    this.counts = noCounts();
    this.#tell();
  }

  pause(isOn) {
    this.paused = isOn ? [...this.rows] : null;
    this.#tell();
  }

  row(number) {
    return this.rows.find((row) => row.number === number);
  }

  /** Returns the time of an entry, in milliseconds since the epoch. */
  timeOf(row) {
    return this.startedAt + row.at_us / 1000;
  }

  /** Reads `GET /state` again. */
  async refresh() {
    this.state = await get('/state');
    this.#tell();
  }

  async #begin() {
    this.state = await get('/state');
    this.startedAt = Date.now() - this.state.now_us / 1000;
    this.#next ??= this.state.oldest;
    await this.#catchUp();
    this.#set('live');
  }

  /** Reads the existing entries, which is faster than the stream. */
  async #catchUp() {
    const { total } = this.state;
    while (this.#next <= total) {
      const { entries, oldest } = await get(`/journal?from=${this.#next}&limit=1000`);
      if (oldest > this.#next) this.#take('gap', { from: this.#next, to: oldest - 1 });
      if (entries.length === 0) return;
      this.#take('rows', entries);
    }
  }

  #take(name, data) {
    if (name === 'gap') {
      this.rows.push({ gap: data, number: data.to });
      this.#next = data.to + 1;
    } else if (name === 'rows') {
      for (const row of data) {
        if (row.number >= this.#next) this.#add(row);
      }
    }
    if (this.rows.length > most) this.rows.splice(0, this.rows.length - most);
    this.#tell();
  }

  #add(row) {
    ++this.counts.all;
    this.counts[row.outcome] = (this.counts[row.outcome] ?? 0) + 1;
    this.#next = row.number + 1;
    this.rows.push(row);
    for (const [name, known] of Object.entries(this.values)) {
      if (row[name] && known.size < mostValues) known.add(row[name]);
    }
  }

  #set(connection) {
    this.connection = connection;
    this.#tell();
  }

  /** Announces a change, at most 20 times a second. */
  #tell() {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      this.dispatchEvent(new Event('change'));
    }, 50);
  }
}

export const store = new Store();
