// Defines tests of Playwright, each with its own scope. A worker has one server.

import { statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { scopeName } from './lib/scope.js';
import { Server } from './lib/server.js';
import { Tape } from './lib/tape.js';

/** Serves the files of `folder` at the server's address, because `tapedeck exec` started that server without them. */
async function serveFiles(context, url, folder) {
  const isFile = (path) => path.startsWith(folder + sep) && statSync(path, { throwIfNoEntry: false })?.isFile();
  await context.route((asked) => asked.origin === url && !asked.pathname.startsWith('/webapi/'), async (route) => {
    const { pathname } = new URL(route.request().url());
    const path = join(folder, decodeURIComponent(pathname), pathname.endsWith('/') ? 'index.html' : '');
    await (isFile(path) ? route.fulfill({ path }) : route.fallback());
  });
}

const idOf = (testInfo) => testInfo.titlePath.join(' > ');

export const test = base.extend({
  tapedeck: [{}, {option: true, scope: 'worker'}],

  tapedeckServer: [
    async ({tapedeck}, use) => {
      const server = await Server.start(tapedeck);
      await use(server);
      await server.stop();
    },
    {scope: 'worker'}
  ],

  // A test that is repeated may get a new worker, and with it a new server, so the runner's count determines the run.
  tape: async ({tapedeckServer}, use, testInfo) => {
    const run = testInfo.repeatEachIndex * (testInfo.project.retries + 1) + testInfo.retry + 1;
    const tape = new Tape(tapedeckServer, scopeName(idOf(testInfo)), run);
    await use(tape);
    const ok = testInfo.status === testInfo.expectedStatus;
    for (const error of ok ? [] : testInfo.errors.slice(-1)) await tape.explain(error);
    await tape.finish(ok);
  },

  // The page's requests have the scope in a header, because a front end requests /webapi regardless of the page's path.
  extraHTTPHeaders: async ({extraHTTPHeaders, tape}, use) => use({...extraHTTPHeaders, ...tape.headers}),

  context: async ({context, tapedeck, tapedeckServer}, use) => {
    if (tapedeckServer.isOfExec && tapedeck.serve)
      await serveFiles(context, tapedeckServer.url, resolve(tapedeck.cwd ?? '', tapedeck.serve));
    await use(context);
  },

  baseURL: async ({baseURL, tape}, use) => use(baseURL ?? tape.serverUrl),
});

export { expect };
