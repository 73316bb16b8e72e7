import type { PlaywrightTestArgs, PlaywrightTestOptions, PlaywrightWorkerArgs, PlaywrightWorkerOptions, TestType } from '@playwright/test';
import type { ServerOptions, Tape } from './index.js';

export { expect } from '@playwright/test';

/** A `test` with the fixture `tape`, and the option `tapedeck` with the options of a worker's server. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & { tape: Tape },
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & { tapedeck: ServerOptions }
>;
