// Tests a device and a client that try to make the page run code or fail.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { fitsIn, rows, tab, view } from './world.mjs';

const markup = '<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script>';
const turned = '\u202Etxet\u2066\u200B\u0007';
const long = 'A'.repeat(10_000_000);

const bodies = {
  Markup: JSON.stringify({ data: { [markup]: markup, __proto__2: turned, text: `${turned}${markup}` }, success: true }),
  Long: JSON.stringify({ data: long, success: true }),
  Broken: Buffer.concat([Buffer.from('{"data":"'), Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80]), Buffer.from('","success":true}')]),
  Deep: `${'{"a":['.repeat(2000)}1${']}'.repeat(2000)}`,
  Wide: JSON.stringify({ exact: 1, data: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key ${i}`, i])), success: true }).replace('1', '12345678901234567890'),
  Binary: Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 37) % 256)),
  Image: Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64'),
};
const paths = Object.keys(bodies).map((name) => `/webapi/entry.cgi?api=SVC.Hostile.${name}&version=1&method=get`).concat(
  `/webapi/entry.cgi?api=${encodeURIComponent(`SVC.${markup}`)}&version=${encodeURIComponent(turned)}&method=${encodeURIComponent('<b>x</b>')}&${encodeURIComponent(markup)}=${encodeURIComponent(markup + turned)}`,
  `/${encodeURIComponent(markup)}/${'long'.repeat(500)}?${encodeURIComponent(turned)}`);

async function device() {
  const server = createServer((request, response) => {
    const name = /Hostile\.(\w+)/.exec(request.url)?.[1];
    response.setHeader('Content-Type', name === 'Image' ? 'image/png' : 'application/json');
    response.setHeader('X-Hostile', Buffer.from(`${markup} \u00e9\u00ff`, 'latin1').toString('latin1'));
    response.end(bodies[name] ?? bodies.Markup);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function checked(page) {
  await fitsIn(page);
  assert.equal(await page.evaluate(() => globalThis.ran), undefined);
  assert.equal(await page.locator('img, main script, main b').count(), 0);
  const text = await page.locator('body').innerText();
  assert.ok(!/[\u202E\u2066\u200B\u0007]/.test(text), 'what cannot be seen is spelled out');
}

export const hostileFlows = (world) => {
  let replay;
  return {
    'a hostile device is recorded, and its cassette played': async () => {
      const hostile = await device();
      const cassette = join(world.bench.folder, 'hostile.cassette');
      const recorder = await world.bench.server('record', '--device', `http://127.0.0.1:${hostile.address().port}`, cassette);
      for (const path of paths) await (await fetch(recorder.url + path)).arrayBuffer();
      assert.equal(await world.bench.stop(recorder), 0, recorder.said);
      hostile.closeAllConnections();
      hostile.close();
      replay = await world.bench.server('replay', '--page', cassette);
      const headers = { 'User-Agent': markup, 'X-Tapedeck-Scope': encodeURIComponent(markup) };
      for (const path of paths) await (await fetch(replay.url + path, { headers })).arrayBuffer();
      await fetch(`${replay.url}/webapi/entry.cgi?api=SVC.Hostile.Markup&version=1&method=get&${encodeURIComponent(markup)}=${encodeURIComponent(turned)}`);
    },
    'names, paths, headers and bodies of a hostile cassette are text': () => world.visit(async (page) => {
      await rows(page).nth(paths.length).waitFor();
      await checked(page);
      for (let number = 1; number <= paths.length + 1; ++number) {
        await page.goto(`${new URL(replay.values.page).origin}/#/requests/${number}`);
        await page.getByRole('heading', { name: `${number} ` }).waitFor();
        for (const name of ['Why', 'Request', 'Response', 'Headers', 'Raw']) {
          await tab(page, name);
          await checked(page);
        }
      }
    }, replay.values.page),
    'ten megabytes on one line are shown in part, and the page goes on': () => world.visit(async (page) => {
      await rows(page).nth(1).waitFor();
      await page.goto(`${new URL(replay.values.page).origin}/#/requests/2`);
      await tab(page, 'Raw');
      await page.getByRole('button', { name: 'Load more' }).waitFor();
      const shownText = await page.locator('pre.raw').textContent();
      assert.ok(shownText.length > 1_000_000 && shownText.length < 1_500_000, String(shownText.length));
      await fitsIn(page);
      await view(page, 'Requests');
      await rows(page).first().waitFor();
    }, replay.values.page),
    'five thousand members are shown a part at a time, and a large number as it was written': () => world.visit(async (page) => {
      await rows(page).nth(4).waitFor();
      await page.goto(`${new URL(replay.values.page).origin}/#/requests/5`);
      await tab(page, 'Response');
      await page.getByText('12345678901234567890').waitFor();
      await page.getByText('{5000}').click();
      await page.getByRole('treeitem', { name: '4800 more' }).last().click();
      await page.getByRole('treeitem', { name: '4600 more' }).last().waitFor();
      await page.getByLabel('Find in the response').fill('key 4999');
      await page.keyboard.press('Enter');
      assert.match(await page.locator('.hit-now').textContent(), /key 4999: 4999/);
      await fitsIn(page);
    }, replay.values.page),
    'an image is drawn, and bytes that are no text are shown as hex': () => world.visit(async (page) => {
      await rows(page).nth(6).waitFor();
      for (const [number, expected] of [[6, /Bytes00000000  00 25 4a/], [7, /Image, 1 × 1 pixels/]]) {
        await page.goto(`${new URL(replay.values.page).origin}/#/requests/${number}`);
        await page.getByRole('heading', { name: `${number} ` }).waitFor();
        await tab(page, 'Response');
        const shown = page.locator('.hex, canvas[aria-label^="Image,"]');
        await shown.waitFor();
        assert.match((await shown.getAttribute('aria-label')) + (await shown.textContent()), expected);
      }
    }, replay.values.page),
    'hostile names do nothing in the other views either': () => world.visit(async (page) => {
      for (const name of ['Recordings', 'Overlays', 'Rules', 'Sessions']) {
        await view(page, name);
        await page.getByRole('heading', { name, exact: true }).waitFor();
        await checked(page);
      }
      await view(page, 'Recordings');
      await page.locator('.sequence button', { hasText: 'onerror' }).first().click();
      await page.getByText('Took', { exact: true }).waitFor();
      await checked(page);
    }, replay.values.page, { size: { width: 380, height: 700 } }),
  };
};
