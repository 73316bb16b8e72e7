// Tests watching and finishing a recording.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { assertHar } from '../har_schema.mjs';
import { account, environment, password } from '../support.mjs';
import { accessible, fitsIn, openRow, rows, tab, view } from './world.mjs';

export const recordingFlows = (world) => {
  let recorder;
  const cassette = join(world.bench.folder, 'watched.cassette');
  const recorded = (use) => world.visit(use, recorder.values.page);
  return {
    'a recording is watched: what is stored, and what was learned': async () => {
      const device = await world.bench.device();
      recorder = await world.bench.server('record', '--page', '--device', device.url, cassette);
      await recorded(async (page) => {
        await page.getByText('No requests yet').waitFor();
        assert.equal(await page.getByRole('navigation').getByRole('link', { name: 'Sessions' }).isVisible(), false);
        await world.ask('SYNO.API.Info', 'query', '', {}, recorder.url);
        const login = new URLSearchParams({ account, passwd: password, format: 'sid' });
        await world.ask('SYNO.API.Auth', 'login', `&${login}`, {}, recorder.url);
        await page.getByText('SYNO.API.Auth/1/login').waitFor();
        await view(page, 'Recording');
        await page.getByRole('table', { name: 'Learned secrets' }).getByText('SESSION_ID').waitFor();
        await page.getByText('Stored', { exact: true }).waitFor();
        assert.equal(await page.locator('dt', { hasText: /^Stored$/ }).locator('+ dd').textContent(), '2');
        await accessible(page);
        await fitsIn(page);
      });
    },
    'with --mode new there are the views of a replay and that of the recording': async () => {
      const both = await world.bench.server('record', '--mode', 'new', '--page', '--device', 'http://127.0.0.1:1', world.cassette);
      await world.visit(async (page) => {
        await page.getByText('No requests yet').waitFor();
        for (const name of ['Recordings', 'Sessions', 'Recording']) {
          await view(page, name);
          await page.getByRole('heading', { name, exact: true }).waitFor({ state: 'attached' });
        }
      }, both.values.page);
      assert.equal(await world.bench.stop(both), 0, both.said);
    },
    'a recorded login is shown without its secrets': () => recorded(async (page) => {
      await page.getByText('SYNO.API.Auth/1/login').click();
      await tab(page, 'Raw');
      await page.locator('pre.raw').waitFor();
      assert.ok((await page.locator('pre.raw mark').allTextContents()).includes('‹SESSION_ID›'));
      const text = await page.locator('main').textContent();
      assert.ok(!text.includes(password) && !text.includes(account), text);
    }),
    'the views of a recording can be used by everybody, light and dark': async () => {
      for (const colorScheme of ['light', 'dark']) {
        await world.visit(async (page) => {
          await rows(page).first().waitFor();
          await accessible(page);
          await openRow(page, '.sheet .row >> nth=-1');
          await tab(page, 'Why');
          await accessible(page);
          await view(page, 'Recording');
          await page.getByRole('table', { name: 'Learned secrets' }).waitFor();
          for (const width of [1400, 380]) {
            await page.setViewportSize({ width, height: 700 });
            await fitsIn(page);
          }
          await accessible(page);
        }, recorder.values.page, { colorScheme });
      }
    },
    'nothing that is kept of it is suspicious': () => recorded(async (page) => {
      await view(page, 'Recording');
      await page.getByRole('button', { name: 'Search stored requests' }).click();
      await page.getByText('No missed secrets found in the 2 stored requests').waitFor();
    }),
    'what was recorded is saved as HAR, which other programs read': () => world.visit(async (page) => {
      await rows(page).nth(1).waitFor();
      await view(page, 'Recording');
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as HAR' }).click()]);
      await page.getByText('Saved 2 of 2 requests').waitFor();
      const saved = join(world.bench.folder, 'recording.har');
      await download.saveAs(saved);
      const text = readFileSync(saved, 'utf8');
      assertHar(text);
      assert.ok(!text.includes(password) && !text.includes(account));
      const { entries } = JSON.parse(text).log;
      assert.deepEqual(entries.map(({ request }) => new URL(request.url).searchParams.get('method')), ['query', 'login']);
      assert.match(entries[1].response.content.text, /"sid":"redacted-session-id"/);
      const again = join(world.bench.folder, 'of-har.cassette');
      const imported = spawnSync(world.bench.program, ['import', saved, '-o', again], { env: environment(world.bench.folder) });
      assert.equal(imported.status, 0, String(imported.stdout) + imported.stderr);
      const listed = JSON.parse(spawnSync(world.bench.program, ['ls', '--json', again], { env: environment(world.bench.folder) }).stdout);
      assert.equal(listed.length, 2);
    }, recorder.values.page, { acceptDownloads: true }),
    'a recording is marked and finished from the page, and the cassette has the mark': async () => {
      await recorded(async (page) => {
        await rows(page).first().waitFor();
        await view(page, 'Recording');
        await page.getByLabel('Mark this moment as').fill(`before <b>${password}</b>`);
        await page.getByRole('button', { name: 'Mark' }).click();
        await page.getByText('Marked: before').waitFor();
        const ended = once(recorder, 'exit');
        await page.getByRole('button', { name: 'Finish the recording' }).click();
        assert.deepEqual(await ended, [0, null], recorder.said);
        await page.getByText('The program has ended').waitFor();
        page.faults.length = 0; // the browser reports the connection
      });
      const listed = String(spawnSync(world.bench.program, ['ls', cassette], { env: environment(world.bench.folder) }).stdout);
      assert.match(listed, /mark in take 1 at .*: before <b><PASSWORD><\/b>/);
    },
  };
};
