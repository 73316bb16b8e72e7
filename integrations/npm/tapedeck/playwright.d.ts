import type { PlaywrightTestArgs, PlaywrightTestConfig, PlaywrightTestOptions, PlaywrightWorkerArgs, PlaywrightWorkerOptions, TestType } from '@playwright/test';
import type { ServerOptions, Tape } from './index.js';

export { expect } from '@playwright/test';

/** A `test` with the fixture `tape`, and the option `tapedeck` with the options of a worker's server. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & { tape: Tape },
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & { tapedeck: ServerOptions }
>;

/** `defineConfig` of Playwright, whose `use` also takes the option `tapedeck`. */
export function defineConfig<T = {}, W = {}>(
  config: PlaywrightTestConfig<T, W & { tapedeck: ServerOptions }>,
  ...more: PlaywrightTestConfig<T, W & { tapedeck: ServerOptions }>[]
): PlaywrightTestConfig<T, W & { tapedeck: ServerOptions }>;
