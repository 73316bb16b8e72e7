// What the page knows. Nothing else changes it; views are functions of it.

import { events, get, Refused } from './control.js';

const most = 10_000;

class Store extends EventTarget {
  state = null; ///< of the server: command, url, version
  rows = []; ///< journal entries and gaps, in order of their numbers
  connection = 'connecting'; ///< connecting, live, lost, refused
  misses = 0;
  startedAt = 0; ///< when the server's journal began, in milliseconds since the epoch
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

  async #begin() {
    this.state = await get('/state');
    this.startedAt = Date.now() - this.state.now_us / 1000;
    this.#next ??= this.state.oldest;
    this.#set('live');
  }

  #take(name, data) {
    if (name === 'gap') {
      this.rows.push({ gap: data, number: data.to });
      this.#next = data.to + 1;
    } else if (name === 'rows') {
      for (const row of data) {
        if (row.number < this.#next) continue;
        if (row.outcome === 'miss') ++this.misses;
        this.#next = row.number + 1;
        this.rows.push(row);
      }
    }
    if (this.rows.length > most) this.rows.splice(0, this.rows.length - most);
    this.#tell();
  }

  #set(connection) {
    this.connection = connection;
    this.#tell();
  }

  /** Once a frame at most, however much came. */
  #tell() {
    if (this.#told) return;
    this.#told = true;
    setTimeout(() => {
      this.#told = false;
      this.dispatchEvent(new Event('change'));
    }, 30);
  }
}

export const store = new Store();
