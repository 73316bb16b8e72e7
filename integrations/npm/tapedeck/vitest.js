// Defines tests of Vitest, each with its own scope.

import { afterAll, beforeAll, test as vitestTest } from 'vitest';
import { fromRoot, literally } from './lib/scope.js';
import { sharedServer, stopShared, within } from './lib/server.js';

async function scopeOf(options, task) {
  const names = [];
  for (let one = task; one && one !== task.file; one = one.suite) names.unshift(one.name);
  const runner = ['npx', 'vitest', 'run', within(task.file.filepath)];
  if (names.length > 0) runner.push('-t', `^${literally(names.join(' '))}${task.type === 'suite' ? ' ' : '$'}`);
  return (await sharedServer(options)).scope([fromRoot(task.file.filepath), ...names].join(' > '), runner);
}

/** Report the results of suites. They run before the server ends, in any order of the hooks. */
const finishing = new Set();
const stop = async () => {
  for (const finish of [...finishing]) await finish();
  await stopShared();
};

const hasFailed = (task) => task.result?.state === 'fail' || (task.tasks ?? []).some(hasFailed);

/**
 * A `test` with the fixture `tape`. A test that is repeated gets the next run. Call it in a test file: a recording is
 * finished when that file's tests have run, because Vitest ends its workers without a notice.
 */
export function tapedeckTest(options = {}, base = vitestTest) {
  afterAll(stop);
  return base.extend({
    tape: async ({ task, onTestFailed }, use) => {
      const tape = await scopeOf(options, task);
      onTestFailed(async () => { for (const error of task.result?.errors?.slice(-1) ?? []) await tape.explain(error); });
      await use(tape);
      await tape.finish(!hasFailed(task));
    },
  });
}

/**
 * One recording for all tests of a file or of a `describe`, such as for a login in `beforeAll`. Call it there, before
 * `beforeAll`; `tape` is set from then on. Its scope is named after the file and the suite.
 */
export function tapedeckSuite(options = {}) {
  const suite = {};
  let task;
  const finish = async () => finishing.delete(finish) && suite.tape.finish(!hasFailed(task));
  afterAll(stop);
  beforeAll(async (one) => {
    task = one;
    suite.tape = await scopeOf(options, task);
    finishing.add(finish);
  });
  afterAll(finish);
  return suite;
}

/** The server alone, for requests outside of scopes: its `url`, and its `control` API. */
export const tapedeckServer = (options = {}) => sharedServer(options);
