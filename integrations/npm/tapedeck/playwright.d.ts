import type { PlaywrightTestArgs, PlaywrightTestOptions, PlaywrightWorkerArgs, PlaywrightWorkerOptions, TestType } from '@playwright/test';
import type { ServerOptions, Tape } from './index.js';

export { expect } from '@playwright/test';

/** With the fixture `tape`, and the option `tapedeck` that says what a worker's server is started with. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & { tape: Tape },
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & { tapedeck: ServerOptions }
>;
