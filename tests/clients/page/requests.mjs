// Looking at requests: the list and the detail view.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

import { environment } from '../support.mjs';
import { fitsIn, rows } from './world.mjs';

export const requestFlows = (world) => ({
  'a replay server with --ui says where its page is': async () => {
    assert.equal(world.link, `${world.control}/#token=${world.token}`);
    assert.ok(!world.server.said.includes(world.token), 'the token is in no log');
  },
  'the token leaves the address bar and stays in the tab': () => world.visit(async (page) => {
    await page.getByText('No request yet').waitFor();
    assert.equal(page.url(), `${world.control}/#/requests`);
    await page.reload();
    await page.getByText('No request yet').waitFor();
  }),
  'rows come while a client asks, with outcome, status and duration': () => world.visit(async (page) => {
    await page.getByText('No request yet').waitFor();
    await world.ask('SVC.Core.System.Status', 'get');
    await world.ask('SVC.Core.Nothing', 'get', '&secret=no');
    await page.getByText('SVC.Core.System.Status/1/get').waitFor();
    await page.getByText('SVC.Core.Nothing/1/get').waitFor();
    assert.deepEqual(await rows(page).locator('.outcome').allTextContents(), ['recorded', 'builtin']);
    assert.match(await rows(page).first().locator('.duration').textContent(), /^\d+(\.\d+)? (µs|ms)$/);
    assert.match(await rows(page).first().locator('time').textContent(), /\d\d.\d\d.\d\d.\d\d\d/);
    assert.equal(await page.title(), 'Tapedeck');
  }),
  'a miss is counted in the title, and opens with its reason': () => world.visit(async (page) => {
    await world.ask('SVC.Core.Share', 'get', '&name=other');
    await page.locator('.row.miss').click();
    await page.getByText('Nothing could answer.').waitFor();
    assert.ok((await page.locator('dd').allTextContents()).some((text) => text.includes('name=other')));
    assert.equal(await page.title(), '(1) Tapedeck');
    await page.getByRole('link', { name: 'All requests' }).click();
    await rows(page).first().waitFor();
  }),
  'a recorded answer says where it is from and shows what was left out': () => world.visit(async (page) => {
    await world.ask('SVC.Core.System.Status', 'get', '&_sid=somebody', { Cookie: 'id=made-up-id' });
    await rows(page).nth(3).waitFor();
    await page.locator('.row.recorded').last().click();
    const told = async (name) => page.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('+ dd').first().textContent();
    await page.getByText('A cassette has this call.').waitFor();
    assert.match(await told('Recording'), /^[0-9a-f]{16} in .*nas\.cassette, take 1, lane \d+$/);
    assert.equal(await told('Left out of the key'), '_sid');
    assert.match(await told('In its sequence'), /^\d+ of \d+$/);
    await page.getByText('Headers (').first().click();
    await page.getByText('<COOKIE>').waitFor();
    assert.ok(!(await page.locator('main').textContent()).includes('made-up-id'));
  }),
  'an answer is a tree and raw, with a search': () => world.visit(async (page) => {
    await rows(page).first().waitFor();
    await page.locator('.row.recorded').first().click();
    await page.locator('.branch').first().waitFor();
    await page.getByText('is_system_crashed').waitFor();
    await page.getByLabel('Find').fill('crashed');
    await page.getByText('1 found').waitFor();
    await page.keyboard.press('Enter');
    assert.match(await page.locator('.current').textContent(), /is_system_crashed/);
    await page.getByRole('button', { name: 'Raw' }).click();
    assert.match(await page.locator('pre.raw').textContent(), /^\{.*"success":true\}\s*$/s);
    assert.equal(await page.locator('mark.hit').textContent(), 'crashed');
    await page.getByLabel('Find').fill('nowhere-at-all');
    await page.getByText('nothing found').waitFor();
  }),
  'redactions are marked in the answer, in the tree and raw': () => world.visit(async (page) => {
    await fetch(`${world.url}/webapi/entry.cgi?api=SVC.API.Auth&version=7&method=login&account=ann&passwd=b`);
    await page.getByText('SVC.API.Auth/7/login').click();
    await page.locator('.body mark').first().waitFor();
    assert.ok((await page.locator('.body mark').allTextContents()).includes('‹SESSION_ID›'));
    await page.getByRole('button', { name: 'Raw' }).click();
    assert.ok((await page.locator('pre.raw mark').allTextContents()).includes('‹SESSION_ID›'));
  }),
  'what is copied as curl asks the same again': () => world.visit(async (page) => {
    await page.locator('.row.recorded').first().click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied.').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(command, /^curl -G 'http:\/\/127\.0\.0\.1:\d+\/webapi\/entry\.cgi' -d 'api=SVC\.Core\.System\.Status&version=1&method=get&_sid=any'$/);
    const said = spawnSync('sh', ['-c', command], { env: environment(world.bench.folder) });
    assert.match(String(said.stdout), /is_system_crashed/);
  }, undefined, { permissions: ['clipboard-read', 'clipboard-write'] }),
  'the list is filtered by text, outcome, API and session': () => world.visit(async (page) => {
    await rows(page).first().waitFor();
    const all = await rows(page).count();
    await page.getByLabel('Filter').fill('nothing');
    await page.getByText(`1 of ${all}`).waitFor();
    await page.getByLabel('Filter').fill('');
    await page.getByLabel('Outcome').selectOption('miss');
    assert.deepEqual(await rows(page).locator('.outcome').allTextContents(), ['miss']);
    await page.getByLabel('Outcome').selectOption('');
    await page.getByLabel('API').selectOption('SVC.Core.Nothing');
    await page.getByText(`1 of ${all}`).waitFor();
    await page.getByLabel('Session').selectOption('session 1');
    await page.getByText('No request fits the filter.').waitFor();
    await page.getByLabel('API').selectOption('');
    await page.getByLabel('Session').selectOption('');
    assert.equal(await rows(page).count(), all);
  }),
  'the list is filtered by scope': () => world.visit(async (page) => {
    await world.ask('SVC.Core.System.Status', 'get', '', { 'X-Tapedeck-Scope': 'login%20fails' });
    await page.getByLabel('Scope').selectOption('login fails');
    await page.getByText(/^1 of /).waitFor();
    assert.equal(await rows(page).locator('.scope').textContent(), 'login fails');
  }),
  'the list is paused, goes on and is cleared': () => world.visit(async (page) => {
    await rows(page).first().waitFor();
    const all = await rows(page).count();
    await page.getByRole('button', { name: 'Pause' }).click();
    await world.ask('SVC.Core.System.Status', 'get');
    await page.getByText(`${all} of ${all}, paused`).waitFor();
    await page.waitForTimeout(300);
    assert.equal(await rows(page).count(), all);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText(`${all + 1} of ${all + 1}`).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No request yet').waitFor();
    assert.equal(await rows(page).count(), 0);
  }),
  'of many rows only those that can be seen are in the document, and the last is followed': () => world.visit(async (page) => {
    await Promise.all(Array.from({ length: 600 }, () => world.ask('SVC.Core.System.Status', 'get')));
    await page.getByText(/6\d\d of 6\d\d/).waitFor();
    assert.ok((await rows(page).count()) < 80);
    const { total } = await world.said('/journal?limit=1');
    await page.locator(`#row-${total}`).waitFor();
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.locator('.scroller').evaluate((scroller) => scroller.scrollTo(0, 0));
    await page.locator('#row-1').waitFor();
    await world.ask('SVC.Core.System.Status', 'get');
    await page.getByText(`${total + 1} of ${total + 1}`).waitFor();
    assert.equal(await page.locator('.scroller').evaluate((scroller) => scroller.scrollTop), 0);
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.locator(`#row-${total + 1}`).waitFor();
  }),
  'the keyboard alone gets from the list to a request, to the next one and back': () => world.visit(async (page) => {
    await page.getByText(/6\d\d of 6\d\d/).waitFor();
    for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.matches('.row .call'))); ++i) await page.keyboard.press('Tab');
    const first = await page.evaluate(() => Number(document.activeElement.id.slice(4)));
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate(() => document.activeElement.id), `row-${first + 1}`);
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement.closest('.row')).outlineStyle), 'none');
    await page.keyboard.press('Enter');
    await page.getByText('Ask again').first().waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), 'title');
    for (let i = 0; i < 3; ++i) await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/requests(\/\d+)?$/);
  }),
  'dates stand in the words of the reader, times to the millisecond': async () => {
    for (const [locale, looks] of [['de-DE', /^\d{1,2}\. \p{L}+\.? \d{4}, \d\d:\d\d:\d\d,\d{3}$/u], ['en-US', /^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d\d:\d\d:\d\d\.\d{3}\s[AP]M$/]]) {
      await world.visit(async (page) => {
        await page.locator('.row.recorded').last().click();
        const time = page.locator('dt', { hasText: /^Time$/ }).locator('+ dd');
        assert.match(await time.textContent(), looks);
      }, undefined, { locale });
    }
  },
  'two pages show the same at once': () => world.visit((one) => world.visit(async (two) => {
    await Promise.all([one, two].map((page) => page.getByText(/6\d\d of 6\d\d/).waitFor()));
    const { total } = await world.said('/journal?limit=1');
    await world.ask('SVC.Core.System.Status', 'get');
    await Promise.all([one, two].map((page) => page.locator(`#row-${total + 1}`).waitFor()));
  })),
  'a request that is no longer kept is said so': () => world.visit(async (page) => {
    await page.goto(`${world.control}/#/requests/999999`);
    await page.getByText('Request 999999 is no longer kept.').waitFor();
    page.faults.length = 0; // the browser tells of the 404
  }),
  ...Object.fromEntries([380, 1400].map((width) => [
    `at ${width} pixels nothing is cut off`, () => world.visit(async (page) => {
      await rows(page).first().waitFor();
      await fitsIn(page);
      await page.locator('.row.recorded').last().click();
      await page.getByText('Ask again').first().waitFor();
      await fitsIn(page);
    }, undefined, { size: { width, height: 700 }, reducedMotion: 'reduce' })])),
});
