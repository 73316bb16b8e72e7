import type { TestAPI } from 'vitest';
import type { RunningServer, ServerOptions, Tape } from './index.js';

/** A `test` with the fixture `tape`. Tests of one worker with equal options share a server. */
export function tapedeckTest(options?: ServerOptions, base?: TestAPI<any>): TestAPI<{ tape: Tape }>;

/**
 * One recording for all tests of a file or of a `describe`, such as for a login in `beforeAll`. Call it there, before
 * `beforeAll`; `tape` is set from then on.
 */
export function tapedeckSuite(options?: ServerOptions): { readonly tape: Tape };

/** The server alone, for requests outside of scopes. */
export function tapedeckServer(options?: ServerOptions): Promise<RunningServer>;
