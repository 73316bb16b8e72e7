// Defines tests of Vitest, each with its own scope.

import { afterAll, test as vitestTest } from 'vitest';
import { fromRoot } from './lib/scope.js';
import { sharedServer, stopShared } from './lib/server.js';

function idOf(task) {
  const names = [];
  for (let one = task; one && one !== task.file; one = one.suite) names.unshift(one.name);
  return [fromRoot(task.file.filepath), ...names].join(' > ');
}

/**
 * A `test` with the fixture `tape`. A test that is repeated gets the next run. Call it in a test file: a recording is
 * finished when that file's tests have run, because Vitest ends its workers without a notice.
 */
export function tapedeckTest(options = {}, base = vitestTest) {
  afterAll(stopShared);
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
