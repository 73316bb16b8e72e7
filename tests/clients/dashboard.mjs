// The example dashboard in Chromium: built, served beside a replay of the sample device, and with Vite's own server in
// front of it. TAPEDECK_LONG adds Vite's server and what the page does without a connection.
//   node dashboard.mjs TAPEDECK DEVICE (the tests' device is not used)

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import playwright from 'playwright-core';
import { Bench, chromium, environment, inLongRuns, run } from './support.mjs';

const example = new URL('../../examples/dashboard/', import.meta.url).pathname;
if (!existsSync(chromium.executablePath) || !existsSync(join(example, 'node_modules/vite'))) {
  console.log('skipped: Chromium or the packages of examples/dashboard are not there (script/bootstrap test, script/test)');
  process.exit(77);
}
const { createServer } = await import(join(example, 'node_modules/vite/dist/node/index.js'));

const bench = new Bench(process.argv[2], process.argv[3]);
const cassette = join(bench.folder, 'nas.cassette');
const dist = join(bench.folder, 'dist');
const passes = (program, ...args) => {
  const made = spawnSync(program, args, { cwd: example, env: environment(bench.folder) });
  assert.equal(made.status, 0, String(made.stderr));
};

const browser = await playwright.chromium.launch(chromium);

/** Opens the page and waits until it shows the recording. Throws the page's errors. */
async function shows(url) {
  const page = await browser.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(`${url}/?poll=50`);
  await page.getByText('EX-5, Example OS 7.2.2-72806').waitFor();
  await page.getByText('Work and media').waitFor();
  assert.equal(await page.locator('#name').textContent(), 'attic');
  assert.equal(await page.locator('#volumes li').count(), 2);
  assert.deepEqual(await page.locator('#shares tr td:first-child').allTextContents(), ['family', 'projects', 'homes', 'backup']);
  assert.equal(await page.locator('#users tr').count(), 4);
  await page.getByRole('button', { name: 'Scan now' }).click();
  await page.getByText('warning: ruleDB.Network.httpsRedirect').waitFor();
  assert.equal(await page.locator('#findings li').count(), 2);
  assert.deepEqual(faults, []);
  await page.close();
}

await run(bench, {
  'the sample device is recorded and the page is built': () => {
    passes(bench.program, 'demo', '--keep', cassette);
    passes(process.execPath, 'node_modules/vite/bin/vite.js', 'build', '--outDir', dist, '--emptyOutDir');
  },
  'the built page shows the recording, served beside it': async () => {
    const replay = await bench.server('replay', '--serve', dist, cassette);
    await shows(replay.url);
    await bench.stop(replay);
  },
  ...inLongRuns({
    "so does the page behind Vite's server": async () => {
      const replay = await bench.server('replay', cassette);
      process.env.TAPEDECK_URL = replay.url;
      const vite = await createServer({ root: example, logLevel: 'silent', server: { host: '127.0.0.1', port: 0 }, cacheDir: join(bench.folder, 'vite') });
      await vite.listen();
      await shows(`http://127.0.0.1:${vite.httpServer.address().port}`);
      await vite.close();
      await bench.stop(replay);
    },
  }),
  'with two overlays it shows a crashed volume, a refusal and shares that are late': async () => {
    const overlay = (name) => ['--overlay', join(example, 'overlays', name)];
    const replay = await bench.server('replay', '--serve', dist, ...overlay('crashed.toml'), ...overlay('refused.toml'), cassette);
    const page = await browser.newPage();
    await page.goto(`${replay.url}/?poll=50`);
    await page.locator('#volumes li.crashed .state', { hasText: 'crashed' }).waitFor();
    assert.equal(await page.locator('#volumes li').count(), 2);
    await page.getByText('SVC.Core.User list answered error 105').waitFor();
    assert.equal(await page.locator('#users tr').count(), 0);
    await page.locator('#shares tr').nth(3).waitFor();
    await page.close();
    assert.equal(await bench.stop(replay), 0, replay.said);
    assert.match(replay.out, /overlays 2/); // what is only late stays what it is
  },
  'with effects it saves settings, changes folders, and starts a backup, and two scopes do not see each other': async () => {
    const replay = await bench.server('replay', '--serve', dist, '--effects', '--overlay', join(example, 'overlays', 'state.toml'), cassette);
    const open = async (scope) => {
      const context = await browser.newContext({ extraHTTPHeaders: { 'X-Tapedeck-Scope': scope } });
      const page = await context.newPage();
      page.on('dialog', (dialog) => dialog.accept('holidays'));
      await page.goto(`${replay.url}/?poll=1000`);
      await page.getByText('State: idle').waitFor();
      return page;
    };
    const names = (page) => page.locator('#files li').evaluateAll((all) => all.map((one) => one.firstChild.textContent.trim()));
    const [one, two] = await Promise.all([open('one'), open('two')]);

    await one.getByLabel('Contact').fill('ann@example.org');
    await one.getByLabel('Service is on').check();
    await one.getByRole('button', { name: 'Save' }).click();
    await one.getByText('Saved.').waitFor();
    await one.getByLabel('New folder').fill('2026');
    await one.getByRole('button', { name: 'Create' }).click();
    await one.getByText('Created 2026.').waitFor();
    await one.getByRole('button', { name: 'Rename 2024' }).click();
    await one.getByText('Renamed to holidays.').waitFor();
    await one.getByRole('button', { name: 'Delete 2025' }).click();
    await one.getByText('Deleted 2025.').waitFor();
    await one.getByRole('button', { name: 'Back up now' }).click();
    await one.getByText('State: running').waitFor();

    for (const page of [one, two]) await page.reload();
    await one.getByText('State: running').waitFor();
    assert.equal(await one.getByLabel('Contact').inputValue(), 'ann@example.org');
    assert.equal(await one.getByLabel('Service is on').isChecked(), true);
    assert.deepEqual(await names(one), ['read me first.txt', '2026/', 'holidays/']);
    await two.getByText('State: idle').waitFor();
    assert.equal(await two.getByLabel('Contact').inputValue(), 'demo@example.org');
    assert.deepEqual(await names(two), ['2024/', '2025/', 'read me first.txt']);
    await Promise.all([one, two].map((page) => page.context().close()));
    await bench.stop(replay);
    assert.match(replay.out, /derived \d+/);
  },
  ...inLongRuns({
    'it asks nobody else, and offline it keeps what it shows and says so until it is back': async () => {
      const replay = await bench.server('replay', '--serve', dist, cassette);
      const context = await browser.newContext();
      const page = await context.newPage();
      const elsewhere = [];
      page.on('request', (request) => new URL(request.url()).origin !== replay.url && elsewhere.push(request.url()));
      await page.goto(`${replay.url}/?poll=50`);
      await page.getByText('Work and media').waitFor();
      await context.setOffline(true);
      await page.getByText('No connection: Failed to fetch').waitFor();
      assert.equal(await page.locator('#volumes li').count(), 2);
      await context.setOffline(false);
      await page.getByText('No connection').waitFor({ state: 'hidden' });
      assert.deepEqual(elsewhere, []);
      await context.close();
      await bench.stop(replay);
    },
    'without the server the page says so': async () => {
      const replay = await bench.server('replay', '--serve', dist, cassette);
      const page = await browser.newPage();
      await page.route('**/webapi/**', (route) => route.abort());
      await page.goto(replay.url);
      await page.getByText(/Failed to fetch/).waitFor();
      await page.close();
      await bench.stop(replay);
    },
  }),
});
