// Tests access to the page, and its behavior when the connection or the server ends.

import assert from 'node:assert/strict';

import { flood, rows } from './world.mjs';

export const accessFlows = (world) => ({
  'markup cannot be put in, and no other page may frame it': async () => {
    const page = await world.open();
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
    const head = await fetch(`${world.control}/`);
    assert.match(head.headers.get('content-security-policy'), /frame-ancestors 'none'/);
    assert.equal(head.headers.get('referrer-policy'), 'no-referrer');
  },
  'without the token only the page’s own files are given': async () => {
    const { control, token } = world;
    const html = await (await fetch(`${control}/`)).text();
    assert.match(html, /\/page\/main\.js/);
    for (const path of ['/', '/page/main.js', '/page/style.css']) assert.equal((await fetch(control + path)).status, 200);
    for (const path of ['/state', '/events', '/journal', '/requests/1', '/recordings', '/rules', '/page/none.js', `/state?token=${token}`, `/?token=${token}`, '/page/../token']) {
      assert.equal((await fetch(control + path)).status, 401, path);
    }
    const foreign = { headers: { 'X-Tapedeck-Token': token, Origin: 'http://evil.example' } };
    assert.equal((await fetch(`${control}/state`, foreign)).status, 403);
    assert.equal((await fetch(`${control}/`, foreign)).status, 403);
    const own = { headers: { 'X-Tapedeck-Token': token, Origin: control } };
    assert.equal((await fetch(`${control}/state`, own)).status, 200);
  },
  'a page without a token says what to open': async () => {
    const page = await world.open(`${world.control}/`);
    await page.getByText('it ends in #token=').waitFor();
    await page.context().close();
  },
  'eight streams are open at once, and the ninth is refused': async () => {
    const given = () => fetch(`${world.control}/events`, { headers: { 'X-Tapedeck-Token': world.token } });
    // Connections of closed pages end within half a second, and so do those that are closed here.
    const counts = [];
    for (let i = 0; i < 150 && counts.at(-1) !== 8; ++i) {
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
  'a reader that is behind what is kept is told which numbers it lost': async () => {
    await flood(world.url, 'SVC.Core.System.Status', 'get', 10_500, 10_000);
    const { oldest } = await world.said('/journal?limit=1');
    assert.ok(oldest > 1);
    const stream = await fetch(`${world.control}/events?from=1`, { headers: { 'X-Tapedeck-Token': world.token } });
    const reader = stream.body.getReader();
    const text = new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    assert.equal(text.slice(0, text.indexOf('\n\n')), `id: ${oldest - 1}\nevent: gap\ndata: {"from":1,"to":${oldest - 1}}`);
  },
  'a server that ends is said, what was shown stays, and a new one asks for its link': async () => {
    const port = new URL(world.control).port;
    const page = await world.open();
    await rows(page).first().waitFor();
    await world.bench.stop(world.server);
    await page.getByText('The program has ended. This page keeps what it has.').waitFor();
    assert.ok((await rows(page).count()) > 0);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /^Download \d/ }).click()]);
    assert.equal(download.suggestedFilename(), 'journal.jsonl');
    const again = await world.bench.server('replay', '--page', '--control', `127.0.0.1:${port}`, world.cassette);
    await page.getByText('This link is no longer valid').waitFor();
    assert.ok((await rows(page).count()) > 0);
    await page.goto(again.values.page);
    await page.getByText('No requests yet').waitFor();
    await world.ask('SVC.Core.System.Status', 'get', '', {}, again.url);
    await rows(page).first().waitFor();
    await page.context().close();
    await world.bench.stop(again);
  },
  'without --page there is no page': async () => {
    const bare = await world.bench.server('replay', '--control', '127.0.0.1:0');
    assert.equal(bare.values.page, undefined);
    assert.equal((await fetch(`${bare.values.control}/`)).status, 401);
    await world.bench.stop(bare);
  },
});
