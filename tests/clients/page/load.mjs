// Sends two thousand requests a second with a page open, for three seconds, or twenty-five with TAPEDECK_LONG.

import assert from 'node:assert/strict';

import { flood, rows } from './world.mjs';

const long = Boolean(process.env.TAPEDECK_LONG);
const seconds = long ? 25 : 3;
const rate = 2000;

export const loadFlows = (world) => ({
  'two thousand requests a second are shown, and no row is lost without a gap being said': () => world.visit(async (page) => {
    await world.ask('SVC.Core.System.Status', 'get');
    await rows(page).first().waitFor();
    await page.evaluate(() => {
      globalThis.tasks = [];
      new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
    });
    const { total: before } = await world.said('/journal?limit=1');
    assert.equal(await flood(world.url, 'SVC.Core.System.Status', 'get', rate * seconds, rate), rate * seconds);
    const { total } = await world.until('/journal?limit=1', (answer) => answer.total >= before + rate * seconds);
    await page.getByRole('button', { name: 'Fold' }).click();
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
