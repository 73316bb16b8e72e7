// The page of --ui in Chromium: what it shows, what it does, and what it refuses.
//   node page.mjs TAPEDECK TEST_DEVICE

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import playwright from 'playwright-core';

import { Bench, chromium, environment, run } from './support.mjs';

if (!existsSync(chromium.executablePath)) {
  console.log(`skipped: ${chromium.executablePath} is not there (script/bootstrap test)`);
  process.exit(77);
}

const bench = new Bench(process.argv[2], process.argv[3]);
const cassette = join(bench.folder, 'nas.cassette');
const make = new URL('../../examples/nas/make.mjs', import.meta.url).pathname;
// The desktop's browser, for --open: it keeps the link that it is given.
const desktop = join(bench.folder, 'desktop');
const opened = join(desktop, 'opened');
mkdirSync(desktop);
writeFileSync(join(desktop, 'xdg-open'), `#!/bin/sh\necho "$1" >>'${opened}'\n`);
chmodSync(join(desktop, 'xdg-open'), 0o755);
process.env.PATH = `${desktop}:${process.env.PATH}`;

/** The links that a browser was started with, once there are so many. */
async function links(count) {
  for (let i = 0; i < 200; ++i) {
    const lines = existsSync(opened) ? readFileSync(opened, 'utf8').trim().split('\n') : [];
    if (lines.length >= count) return lines;
    await new Promise((wake) => setTimeout(wake, 50));
  }
  throw new Error('no browser was started');
}

const browser = await playwright.chromium.launch(chromium);

/** A new tab on the link; it fails on errors of the page, and on anything that the page's policy refused. */
async function open(link, size = { width: 1200, height: 800 }) {
  const context = await browser.newContext({ viewport: size });
  const page = await context.newPage();
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && page.faults.push(message.text()));
  await page.goto(link);
  return page;
}

async function close(page, faults = []) {
  assert.deepEqual(page.faults, faults);
  await page.context().close();
}

const ask = (url, api, method, more = '') => fetch(`${url}/webapi/entry.cgi?api=${api}&version=1&method=${method}${more}`);
const rows = (page) => page.locator('.sheet .row');

let server, link, control, token;

await run(bench, {
  'a replay server with --ui says where its page is': async () => {
    const made = spawnSync(process.execPath, [make, bench.program, cassette], { env: environment(bench.folder) });
    assert.equal(made.status, 0, String(made.stderr));
    server = await bench.server('replay', '--ui', cassette);
    ({ ui: link, control, token } = server.values);
    assert.equal(link, `${control}/#token=${token}`);
    assert.ok(!server.said.includes(token), 'the token is in no log');
  },
  'the token leaves the address bar and stays in the tab': async () => {
    const page = await open(link);
    await page.getByText('No request yet').waitFor();
    assert.equal(page.url(), `${control}/#/requests`);
    await page.reload();
    await page.getByText('No request yet').waitFor();
    await close(page);
  },
  'rows come while a client asks, with outcome and key': async () => {
    const page = await open(link);
    await page.getByText('No request yet').waitFor();
    await ask(server.url, 'SVC.Core.System.Status', 'get');
    await ask(server.url, 'SVC.Core.Nothing', 'get', '&secret=no');
    await page.getByText('SVC.Core.System.Status/1/get').waitFor();
    assert.deepEqual(await rows(page).locator('.outcome').allTextContents(), ['recorded', 'builtin']);
    assert.match(await page.title(), /Tapedeck/);
    await close(page);
  },
  'a miss is counted in the title, and opens with its reason': async () => {
    const page = await open(link);
    await ask(server.url, 'SVC.Core.Share', 'get', '&name=other');
    await page.locator('.row.miss').click();
    await page.getByText('Nothing could answer.').waitFor();
    assert.ok((await page.locator('dd').allTextContents()).some((text) => text.includes('name=other')));
    assert.equal(await page.title(), '(1) Tapedeck');
    await page.getByRole('link', { name: 'All requests', exact: false }).first().click();
    await rows(page).first().waitFor();
    await close(page);
  },
  'what is copied as curl asks the same again': async () => {
    const page = await open(link);
    await page.locator('.row.recorded').first().click();
    const command = await page.locator('pre').textContent();
    assert.match(command, /^curl -G 'http:\/\/127\.0\.0\.1:\d+\/webapi\/entry\.cgi' -d 'api=SVC\.Core\.System\.Status&version=1&method=get&_sid=any'$/);
    const said = spawnSync('sh', ['-c', command], { env: environment(bench.folder) });
    assert.match(String(said.stdout), /is_system_crashed/);
    await close(page);
  },
  'the list is filtered by text and outcome, paused and cleared': async () => {
    const page = await open(link);
    await rows(page).first().waitFor();
    const all = await rows(page).count();
    await page.getByLabel('Filter').fill('nothing');
    await page.getByText(`1 of ${all}`).waitFor();
    await page.getByLabel('Filter').fill('');
    await page.getByLabel('Outcome').selectOption('miss');
    assert.deepEqual(await rows(page).locator('.outcome').allTextContents(), ['miss']);
    await page.getByLabel('Outcome').selectOption('');
    await page.getByRole('button', { name: 'Pause' }).click();
    await ask(server.url, 'SVC.Core.System.Status', 'get');
    await page.waitForTimeout(400);
    assert.equal(await rows(page).count(), all);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText(`${all + 1} of ${all + 1}`).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No request yet').waitFor();
    assert.equal(await rows(page).count(), 0);
    await close(page);
  },
  'ten thousand rows are not in the document at once': async () => {
    const page = await open(link);
    const calls = Array.from({ length: 600 }, () => ask(server.url, 'SVC.Core.System.Status', 'get'));
    await Promise.all(calls);
    await page.getByText(/6\d\d of 6\d\d/).waitFor();
    assert.ok((await rows(page).count()) < 80);
    await page.locator('.scroller').evaluate((scroller) => scroller.scrollTo(0, 0));
    await page.locator('#row-1').waitFor();
    await close(page);
  },
  'recordings: what was never played': async () => {
    const page = await open(link);
    await page.getByRole('link', { name: 'Recordings' }).click();
    await page.getByText(/Never played \(\d+\)/).waitFor();
    await page.getByText('SVC.Core.AppNotify/1/view').waitFor();
    assert.equal(await page.getByText('SVC.Core.System.Status/1/get').count(), 0);
    await close(page);
  },
  'sessions: one is reset, all are dropped, and the server has done it': async () => {
    const page = await open(link);
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('session 1 adopted').waitFor();
    await fetch(`${server.url}/webapi/entry.cgi?api=SVC.API.Auth&version=7&method=login&account=a&passwd=b`);
    await page.reload();
    await page.getByText('session 2 login').waitFor();
    await page.getByRole('button', { name: 'Reset session 2' }).click();
    await page.getByText(/session \d+ begins anew/).waitFor();
    await page.getByRole('button', { name: 'Drop all' }).click();
    await page.getByText('All sessions are forgotten').waitFor();
    await page.getByText('Nobody has logged in yet').waitFor();
    const left = await fetch(`${control}/sessions`, { headers: { 'X-Tapedeck-Token': token } });
    assert.equal((await left.json()).total, 0);
    await close(page);
  },
  'the keyboard alone gets from the list to a request and back': async () => {
    const page = await open(link);
    await page.getByText(/6\d\d of 6\d\d/).waitFor();
    await page.locator('.row').last().focus();
    await page.keyboard.press('Enter');
    await page.getByText('Ask again').waitFor();
    await page.keyboard.press('Tab');
    assert.ok(await page.evaluate(() => document.activeElement !== document.body));
    await close(page);
  },
  'at 380 pixels nothing is cut off, in the dark too': async () => {
    const page = await open(link, { width: 380, height: 700 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await rows(page).first().waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await rows(page).first().click();
    await page.getByText('Ask again').waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await close(page);
  },
  'what clients send is text: markup, turned writing and long names do nothing': async () => {
    const page = await open(link);
    const hostile = `<img src=x onerror="document.title='run'">\u202Etxet${'A'.repeat(3000)}`;
    await fetch(`${server.url}/webapi/entry.cgi?api=SVC.Core.Share&version=1&method=get&name=${encodeURIComponent(hostile)}`);
    await page.locator('.row.miss').last().click();
    await page.getByText('Nothing could answer.').waitFor();
    assert.equal(await page.locator('img').count(), 0);
    assert.notEqual(await page.title(), 'run');
    assert.ok(!(await page.locator('dd').allTextContents()).join('').includes('\u202E'));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await close(page);
  },
  'markup cannot be put in, and no other page may frame it': async () => {
    const page = await open(link);
    const refused = await page.evaluate(() => {
      try {
        document.body.innerHTML = '<b>x</b>';
        return false;
      } catch (error) {
        return error instanceof TypeError;
      }
    });
    assert.ok(refused);
    await page.context().close();
    const head = await fetch(`${control}/`);
    assert.match(head.headers.get('content-security-policy'), /frame-ancestors 'none'/);
    assert.equal(head.headers.get('referrer-policy'), 'no-referrer');
  },
  'without the token only the page’s own files are given': async () => {
    for (const path of ['/', '/page/main.js', '/page/style.css']) assert.equal((await fetch(control + path)).status, 200);
    for (const path of ['/state', '/events', '/journal', '/page/none.js', `/state?token=${token}`, `/?token=${token}`, '/page/../token']) {
      assert.equal((await fetch(control + path)).status, 401, path);
    }
    const foreign = { headers: { 'X-Tapedeck-Token': token, Origin: 'http://evil.example' } };
    assert.equal((await fetch(`${control}/state`, foreign)).status, 403);
    assert.equal((await fetch(`${control}/`, foreign)).status, 403);
    const own = { headers: { 'X-Tapedeck-Token': token, Origin: control } };
    assert.equal((await fetch(`${control}/state`, own)).status, 200);
  },
  'eight streams are open at once, and the ninth is told so': async () => {
    const given = () => fetch(`${control}/events`, { headers: { 'X-Tapedeck-Token': token } });
    // Those of pages that were closed end within half a second, and so do those that are given up here.
    const counts = [];
    for (let i = 0; i < 30 && counts.at(-1) !== 8; ++i) {
      const streams = [await given()];
      while (streams.at(-1).status === 200 && streams.length < 20) streams.push(await given());
      counts.push(streams.filter((one) => one.status === 200).length);
      assert.equal(streams.at(-1).status, 503);
      await Promise.all(streams.map((one) => one.body.cancel()));
      await new Promise((wake) => setTimeout(wake, 200));
    }
    assert.equal(counts.at(-1), 8, `streams open at once: ${counts}`);
    assert.ok(Math.max(...counts) <= 8);
  },
  'a server that ends is said, and what was shown stays': async () => {
    const page = await open(link);
    await rows(page).first().waitFor();
    await bench.stop(server);
    await page.getByText('The connection is lost').waitFor();
    assert.ok((await rows(page).count()) > 0);
    await page.context().close();
  },
  'without --ui there is no page': async () => {
    const bare = await bench.server('replay', '--control', '127.0.0.1:0');
    assert.equal(bare.values.ui, undefined);
    assert.equal((await fetch(`${bare.values.control}/`)).status, 401);
    await bench.stop(bare);
  },
  '--open starts the browser on the link, whatever the command': async () => {
    const replay = await bench.server('replay', '--open', cassette);
    const recorder = await bench.server('record', '--open', '--device', replay.url, join(bench.folder, 'opened.cassette'));
    const exec = spawnSync(bench.program, ['exec', '--ui', '--open', '--session-calls', '3', cassette, '--', 'sh', '-c',
      `until [ "$(wc -l <'${opened}')" -eq 3 ]; do sleep 0.05; done; echo "$TAPEDECK_CONTROL_URL/#token=$TAPEDECK_TOKEN"`],
      { env: environment(bench.folder), timeout: 20_000 });
    assert.equal(exec.status, 0, String(exec.stderr));
    const given = await links(3);
    for (const link of [replay.values.ui, recorder.values.ui, String(exec.stdout).split('\n')[0]]) assert.ok(given.includes(link), link);
    await bench.stop(recorder);
    await bench.stop(replay);
  },
  'a recording is watched': async () => {
    const device = await bench.device();
    const recorder = await bench.server('record', '--ui', '--device', device.url, join(bench.folder, 'watched.cassette'));
    const page = await open(recorder.values.ui);
    await ask(recorder.url, 'SVC.API.Info', 'query');
    await page.getByText('SVC.API.Info/1/query').waitFor();
    await page.getByRole('link', { name: 'Recordings' }).click();
    await page.getByText('nothing to play while recording').waitFor();
    await page.context().close();
    await bench.stop(recorder);
  },
});
await browser.close();
