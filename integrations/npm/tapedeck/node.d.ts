import type { TestContext, TestOptions } from 'node:test';
import type { ServerOptions, Tape } from './index.js';

export type TapeBody = (tape: Tape, t: TestContext) => void | Promise<void>;

export interface TapeTest {
  (name: string, body: TapeBody): Promise<void>;
  (name: string, options: TestOptions, body: TapeBody): Promise<void>;
}

/**
 * A `test` like that of node:test, with `skip`, `only`, and `todo`, whose function receives `(tape, t)`. Tests with
 * equal options share a server.
 */
export function tapedeckTest(options?: ServerOptions): TapeTest & {
  skip: TapeTest;
  only: TapeTest;
  todo: TapeTest & ((name: string) => Promise<void>);
};
