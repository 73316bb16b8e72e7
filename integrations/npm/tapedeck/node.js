// Tests of node:test, each with a scope of its own.

import { after, test } from 'node:test';
import { relative } from 'node:path';
import { sharedServer, stopShared } from './lib/server.js';

const file = relative(process.cwd(), process.argv[1] ?? '');
let stops = false;

/** A `test` like that of node:test, whose function gets `(tape, t)`. */
export function tapedeckTest(options = {}) {
  return (name, ...more) => {
    const body = more.pop();
    if (!stops) after(stopShared);
    stops = true;
    return test(name, ...more, async (t) => {
      const server = await sharedServer(options);
      const tape = await server.scope(`${file} > ${t.fullName ?? name}`);
      let ok = false;
      try {
        await body(tape, t);
        ok = true;
      } catch (error) {
        throw await tape.explain(error);
      } finally {
        await tape.finish(ok);
      }
    });
  };
}
