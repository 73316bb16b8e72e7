// Stores the page's data. Only the store changes it; views are functions of it.

import { get, Refused } from './control.js';
import { events } from './stream.js';

const most = 10_000; // rows
const mostValues = 1000; // of each field
const mostFailures = 3; // in a row, after which the program has ended

const atOnce = 1000; // entries of a page of GET /journal
const pagesAhead = 3;

const noCounts = () => ({ all: 0 });

/** Reads the entries from number `from` up to `end`, without that one. A gap takes the place of entries that the server dropped. */
async function entriesBetween(from, end) {
  const read = (at) => {
    const page = at < end ? get(`/journal?from=${at}&limit=${Math.min(atOnce, end - at)}`) : undefined;
    page?.catch(() => {}); // reported where it is awaited
    return page;
  };
  const pages = Array.from({ length: pagesAhead }, (_, i) => read(from + i * atOnce));
  const found = [];
  let next = from;
  for (let at = from; at < end; at += atOnce) {
    const { entries, oldest } = await pages.shift();
    pages.push(read(at + pagesAhead * atOnce));
    const kept = Math.min(oldest, end);
    if (kept > next) found.push({ gap: { from: next, to: kept - 1 }, number: kept - 1 });
    next = Math.max(next, kept);
    for (const row of entries) {
      if (row.number < next || row.number >= end) continue;
      found.push(row);
      next = row.number + 1;
    }
  }
  return found;
}

class Store extends EventTarget {
  state = null; ///< the server's `GET /state`
  rows = []; ///< journal entries and gaps, in order of their numbers
  connection = 'connecting'; ///< connecting, live, lost, ended, refused
  counts = noCounts(); ///< by outcome, since the page was opened or cleared
  paused = null; ///< the rows at the moment when somebody paused the list
  startedAt = 0; ///< when the server's journal began, in milliseconds since the epoch
  values = { outcome: new Set(), api: new Set(), scope: new Set(), session: new Set() }; ///< that occurred
  #next = undefined; ///< the number of the next entry
  #older = null; ///< `{from, end}`: numbers of entries that belong before `rows` and have not been read
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
    for (let failures = 0; ;) {
      try {
        await this.#begin();
        failures = 0;
        await events(this.#next, (name, data) => this.#take(name, data));
        this.#set('lost');
      } catch (error) {
        ++failures;
        this.#set(error instanceof Refused && error.status === 401 ? 'refused' : failures >= mostFailures ? 'ended' : 'lost');
        if (this.connection === 'refused') return;
      }
      await new Promise((wake) => setTimeout(wake, 1000));
    }
  }

  clear() {
    this.rows = [];
    this.#older = null;
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
    this.#set('live');
    await this.#catchUp();
  }

  /** Reads the existing entries, which is faster than the stream: the newest page first, then all others at once. */
  async #catchUp() {
    const end = this.state.total + 1;
    if (this.rows.length === 0 && this.#older === null && end - this.#next > atOnce) {
      this.#older = { from: this.#next, end: end - atOnce };
      this.#next = this.#older.end;
    }
    this.#append(await entriesBetween(this.#next, end));
    const older = this.#older;
    if (older === null) return;
    const found = await entriesBetween(older.from, older.end);
    if (this.#older !== older) return; // somebody cleared the list
    this.#older = null;
    found.forEach((row) => this.#count(row));
    this.rows = [...found, ...this.rows].slice(-most);
    this.#tell();
  }

  #take(name, data) {
    this.#append(name === 'gap' ? [{ gap: data, number: data.to }] : name === 'rows' ? data : []);
  }

  #append(rows) {
    for (const row of rows) {
      if (row.number < this.#next) continue;
      this.#count(row);
      this.#next = row.number + 1;
      this.rows.push(row);
    }
    if (this.rows.length > most) this.rows.splice(0, this.rows.length - most);
    this.#tell();
  }

  #count(row) {
    if (row.gap) return;
    ++this.counts.all;
    this.counts[row.outcome] = (this.counts[row.outcome] ?? 0) + 1;
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
