// Defines tests of node:test, each with its own scope.

import { after, test } from 'node:test';
import { fromRoot, literally } from './lib/scope.js';
import { sharedServer, stopShared, within } from './lib/server.js';

let stops = false;

/** A `test` like that of node:test, with `skip`, `only`, and `todo`, whose function receives `(tape, t)`. */
export function tapedeckTest(options = {}) {
  const file = fromRoot(process.argv[1] ?? '');
  const withTape = (name, body) => async (t) => {
    const server = await sharedServer(options);
    const runner = ['node', '--test', `--test-name-pattern=^${literally(name)}$`, within(process.argv[1] ?? '')];
    const tape = await server.scope(`${file} > ${t.fullName ?? name}`, runner);
    let ok = false;
    try {
      await body(tape, t);
      ok = true;
    } catch (error) {
      throw await tape.explain(error);
    } finally {
      await tape.finish(ok);
    }
  };
  const by = (run) => (name, ...more) => {
    if (!stops) after(stopShared);
    stops = true;
    const body = more.pop();
    return typeof body === 'function' ? run(name, ...more, withTape(name, body)) : run(name, ...more, body);
  };
  return Object.assign(by(test), { skip: by(test.skip), only: by(test.only), todo: by(test.todo) });
}
