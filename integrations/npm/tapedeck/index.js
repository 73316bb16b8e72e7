// start(): runs the program for a test, with access to its output.

import { scopeName } from './lib/scope.js';
import { Server } from './lib/server.js';
import { Tape } from './lib/tape.js';

class RunningTape extends Tape {
  #server;

  constructor(server, name) {
    super(server, name);
    this.#server = server;
  }

  /** Returns another scope of the same server. */
  async test(id) {
    return this.#server.scope(id);
  }

  get output() {
    return this.#server.output;
  }

  /** Ends the program and returns its exit status. */
  async stop() {
    return this.#server.stop();
  }
}

export async function start({ scope, ...options } = {}) {
  return new RunningTape(await Server.start(options), scope === undefined ? undefined : scopeName(scope));
}

export { findProgram } from './lib/program.js';
export { scopeName } from './lib/scope.js';
