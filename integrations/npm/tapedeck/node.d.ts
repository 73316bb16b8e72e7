import type { TestContext, TestOptions } from 'node:test';
import type { ServerOptions, Tape } from './index.js';

type Body = (tape: Tape, t: TestContext) => void | Promise<void>;

/** A `test` like that of node:test, whose function gets `(tape, t)`. Tests with equal options share a server. */
export function tapedeckTest(options?: ServerOptions): {
  (name: string, body: Body): Promise<void>;
  (name: string, options: TestOptions, body: Body): Promise<void>;
};
