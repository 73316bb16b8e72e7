// Tests of Playwright, each with a scope of its own. A worker has one server.

import { test as base, expect } from '@playwright/test';
import { scopeName } from './lib/scope.js';
import { Server } from './lib/server.js';
import { Tape } from './lib/tape.js';

const idOf = (testInfo) => testInfo.titlePath.join(' > ');

export const test = base.extend({
  tapedeck: [{}, { option: true, scope: 'worker' }],

  tapedeckServer: [async ({ tapedeck }, use) => {
    const server = await Server.start(tapedeck);
    await use(server);
    await server.stop();
  }, { scope: 'worker' }],

  // A test that is tried again may get a new worker, and with it a new server: its own count says which run it is.
  tape: async ({ tapedeckServer }, use, testInfo) => {
    const run = testInfo.repeatEachIndex * (testInfo.project.retries + 1) + testInfo.retry + 1;
    const tape = new Tape(tapedeckServer, scopeName(idOf(testInfo)), run);
    await use(tape);
    const ok = testInfo.status === testInfo.expectedStatus;
    for (const error of ok ? [] : testInfo.errors.slice(-1)) await tape.explain(error);
    await tape.finish(ok);
  },

  // The page's requests say the scope in a header: a front end asks for /webapi, whatever the page's own path is.
  extraHTTPHeaders: async ({ extraHTTPHeaders, tape }, use) => use({ ...extraHTTPHeaders, ...tape.headers }),

  baseURL: async ({ baseURL, tape }, use) => use(baseURL ?? tape.serverUrl),
});

export { expect };
