// Two thousand requests a second with a page open: three seconds of it, with TAPEDECK_LONG twenty-five.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';

import { rows } from './world.mjs';

const long = Boolean(process.env.TAPEDECK_LONG);
const seconds = long ? 25 : 3;
const rate = 2000;

/** Asks on one connection, without waiting for answers; gives how many came. */
async function flood(url, api, method) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let answers = 0;
  let rest = '';
  socket.on('data', (bytes) => {
    const text = rest + bytes.toString('latin1');
    answers += text.split('HTTP/1.1 200').length - 1;
    rest = text.slice(-11);
  });
  const request = `GET /webapi/entry.cgi?api=${api}&version=1&method=${method}&_sid=flood HTTP/1.1\r\nHost: x:${port}\r\n\r\n`;
  const begun = performance.now();
  let sent = 0;
  while (sent < rate * seconds) {
    const due = Math.min(rate * seconds, Math.floor(((performance.now() - begun) / 1000) * rate));
    if (due > sent) socket.write(request.repeat(due - sent).replaceAll('Host: x', `Host: ${hostname}`));
    sent = Math.max(sent, due);
    await new Promise((wake) => setTimeout(wake, 10));
  }
  for (let i = 0; i < 500 && answers < sent; ++i) await new Promise((wake) => setTimeout(wake, 20));
  socket.destroy();
  return answers;
}

export const loadFlows = (world) => ({
  'two thousand requests a second are shown, and no row is lost without a gap being said': () => world.visit(async (page) => {
    await rows(page).first().waitFor();
    await page.evaluate(() => {
      globalThis.tasks = [];
      new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
    });
    const { total: before } = await world.said('/journal?limit=1');
    assert.equal(await flood(world.url, 'SVC.Core.System.Status', 'get'), rate * seconds);
    const { total } = await world.until('/journal?limit=1', (answer) => answer.total >= before + rate * seconds);
    await page.locator(`#row-${total}`).waitFor();
    const seen = await page.evaluate(async () => {
      const { store } = await import('/page/store.js');
      let broken = 0;
      store.rows.forEach((row, i) => {
        const last = store.rows[i - 1];
        if (last && (row.gap?.from ?? row.number) !== last.number + 1) ++broken;
      });
      return { broken, count: store.rows.length, longest: Math.max(0, ...globalThis.tasks), heap: performance.memory.usedJSHeapSize };
    });
    assert.equal(seen.broken, 0);
    assert.ok(seen.count <= 10_000);
    assert.ok((await rows(page).count()) < 80);
    assert.ok(seen.heap < 200 * 1024 * 1024, `the page takes ${seen.heap} bytes`);
    console.log(`    ${rate} requests/s for ${seconds} s: the page's longest task ${Math.round(seen.longest)} ms, heap ${Math.round(seen.heap / 1024 / 1024)} MiB`);
    if (long) assert.ok(seen.longest <= 200, `a task took ${seen.longest} ms`);
  }),
});
