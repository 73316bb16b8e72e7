import type { TestAPI } from 'vitest';
import type { ServerOptions, Tape } from './index.js';

/** A `test` with the fixture `tape`. Tests of one worker with equal options share a server. */
export function tapedeckTest(options?: ServerOptions, base?: TestAPI<any>): TestAPI<{ tape: Tape }>;
