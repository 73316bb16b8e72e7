// Tests of Vitest, each with a scope of its own.

import { test as vitestTest } from 'vitest';
import { sharedServer } from './lib/server.js';

function idOf(task) {
  const names = [];
  for (let one = task; one && one !== task.file; one = one.suite) names.unshift(one.name);
  return [task.file.name, ...names].join(' > ');
}

/** A `test` with the fixture `tape`. A test that is tried again gets the next run. */
export function tapedeckTest(options = {}, base = vitestTest) {
  return base.extend({
    tape: async ({ task, onTestFailed }, use) => {
      const server = await sharedServer(options);
      const tape = await server.scope(idOf(task));
      onTestFailed(async () => { for (const error of task.result?.errors?.slice(-1) ?? []) await tape.explain(error); });
      await use(tape);
      await tape.finish(task.result?.state !== 'fail');
    },
  });
}
