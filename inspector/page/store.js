// What the page knows. Nothing else changes it; views are functions of it.

import { get, Refused } from './control.js';
import { events } from './stream.js';

const most = 10_000; // rows
const mostValues = 200; // of a filter

class Store extends EventTarget {
  state = null; ///< of the server: command, url, version
  rows = []; ///< journal entries and gaps, in order of their numbers
  connection = 'connecting'; ///< connecting, live, lost, refused
  misses = 0;
  startedAt = 0; ///< when the server's journal began, in milliseconds since the epoch
  values = { outcome: new Set(), api: new Set(), scope: new Set(), session: new Set() }; ///< that were seen
  #next = undefined; ///< the number of the next entry
  #told = false;

  /** Reads the stream for ever: goes on by number after a lost connection, stops when the token is refused. */
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
    this.misses = 0;
    this.#tell();
  }

  row(number) {
    return this.rows.find((row) => row.number === number);
  }

  /** Asks for counters and what else stands in `GET /state` again. */
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

  /** What is there already, faster than the stream gives it. What comes meanwhile is left to the stream. */
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
    if (row.outcome === 'miss') ++this.misses;
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

  /** A few times a second at most, however much came. */
  #tell() {
    if (this.#told) return;
    this.#told = true;
    setTimeout(() => {
      this.#told = false;
      this.dispatchEvent(new Event('change'));
    }, 50);
  }
}

export const store = new Store();
