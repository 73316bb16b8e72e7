// Defines tests of Playwright, each with its own scope. A worker has one server.

import { statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { defineConfig, test as base, expect } from '@playwright/test';
import { fromRoot, literally, scopeName } from './lib/scope.js';
import { Server, within } from './lib/server.js';
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

const idOf = ({ file, titlePath }) => [fromRoot(file), ...titlePath.slice(1)].join(' > ');

const withoutExec = 'the test sent no request to its server, because the dev server of `webServer` has another one: ' +
  'run `tapedeck exec CASSETTE -- npx playwright test`';

/** Returns the reason why a test behind a dev server cannot see its requests, if that is so. */
async function forgotten(tape, server, { webServer }, { serve }) {
  if (!webServer || server.isOfExec || serve || (await tape.requests()).length > 0) return undefined;
  server.lines.say(withoutExec);
  return withoutExec;
}

/** Playwright reads the names of files as regular expressions, and compares titles with their tags behind them. */
const runnerOf = ({ file, titlePath }) =>
  ['npx', 'playwright', 'test', literally(within(file)), '-g', ` ${literally(titlePath.at(-1))}( @|$)`];

const isOk = (testInfo) => testInfo.status === testInfo.expectedStatus;

/** False after a failed or interrupted test of this worker. */
let workerIsOk = true;

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

  // One recording for all tests of a worker, such as for a login. Its scope is "workerTape".
  workerTape: [
    async ({tapedeckServer}, use) => {
      const tape = await tapedeckServer.scope('workerTape', ['npx', 'playwright', 'test']);
      await use(tape);
      await tape.finish(workerIsOk);
    },
    {scope: 'worker'}
  ],

  noteResult: [
    async ({}, use, testInfo) => {
      await use();
      workerIsOk &&= isOk(testInfo);
    },
    {auto: true}
  ],

  // A test that is repeated may get a new worker, and with it a new server, so the runner's count determines the run.
  tape: async ({tapedeck, tapedeckServer}, use, testInfo) => {
    const run = testInfo.repeatEachIndex * (testInfo.project.retries + 1) + testInfo.retry + 1;
    await tapedeckServer.scope(idOf(testInfo)); // a recorder expects its result from now on
    const tape = new Tape(tapedeckServer, scopeName(idOf(testInfo)), run, runnerOf(testInfo));
    await use(tape);
    const ok = isOk(testInfo);
    const hint = await forgotten(tape, tapedeckServer, testInfo.config, tapedeck);
    for (const error of ok ? [] : testInfo.errors.slice(-1)) await tape.explain(error, hint);
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

export { defineConfig, expect };
