import type { PlaywrightTestArgs, PlaywrightTestConfig, PlaywrightTestOptions, PlaywrightWorkerArgs, PlaywrightWorkerOptions, TestType } from '@playwright/test';
import type { RunningServer, ServerOptions, Tape } from './index.js';

export { expect } from '@playwright/test';

/**
 * A `test` with the fixture `tape`, and the option `tapedeck` with the options of a worker's server. `workerTape` is one
 * recording for all tests of a worker, and `tapedeckServer` the server alone.
 */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & { tape: Tape },
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & { tapedeck: ServerOptions; workerTape: Tape; tapedeckServer: RunningServer }
>;

/** `defineConfig` of Playwright, whose `use` also takes the option `tapedeck`. */
export function defineConfig<T = {}, W = {}>(
  config: PlaywrightTestConfig<T, W & { tapedeck: ServerOptions }>,
  ...more: PlaywrightTestConfig<T, W & { tapedeck: ServerOptions }>[]
): PlaywrightTestConfig<T, W & { tapedeck: ServerOptions }>;
