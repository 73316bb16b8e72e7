// Sends two thousand requests a second with a page open, for three seconds, or twenty-five with TAPEDECK_LONG. Then opens
// a page on a full journal.

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
  'of a full journal the newest requests are shown first, and a step of scrolling changes few elements': async () => {
    const capacity = 10_000;
    const { total: before } = await world.said('/journal?limit=1');
    assert.equal(await flood(world.url, 'SVC.Core.System.Status', 'get', capacity, capacity), capacity);
    const { total } = await world.until('/journal?limit=1', (answer) => answer.total >= before + capacity);
    const context = await world.browser.newContext({ viewport: { width: 1200, height: 800 } });
    const page = await context.newPage();
    // Lets the newest page of the journal through, and holds the older ones until the first rows are shown.
    let areShown;
    const shown = new Promise((wake) => { areShown = wake; });
    await page.route('**/journal?*', async (route) => {
      if (!route.request().url().includes(`from=${total - 999}&`)) await shown;
      await route.continue();
    });
    await page.goto(world.link);
    await page.getByText('1000 of 1000').waitFor();
    await page.getByRole('button', { name: 'Fold' }).click();
    await page.locator(`#row-${total}`).waitFor();
    const scroller = page.locator('.scroller');
    await page.waitForFunction(() => {
      const one = document.querySelector('.scroller');
      return one.scrollHeight - one.clientHeight - one.scrollTop < 1;
    });
    // Somebody reads in the middle while the older pages arrive.
    await page.getByRole('button', { name: 'Follow' }).click();
    await scroller.evaluate((one) => { one.scrollTop = 14_000; });
    const read = page.locator(`#row-${total - 999 + 500}`);
    const place = await read.boundingBox();
    areShown();
    await page.getByText('10000 of 10000').waitFor();
    await page.getByRole('button', { name: '10,000 requests' }).waitFor();
    assert.deepEqual(await read.boundingBox(), place, 'the list jumped');
    assert.deepEqual(await page.evaluate(async () => (await import('/page/store.js')).store.rows.map(({ number }) => number)),
      Array.from({ length: capacity }, (_, i) => total - capacity + 1 + i));
    const changes = await scroller.evaluate(async (one) => {
      const drawn = () => new Promise((wake) => requestAnimationFrame(() => requestAnimationFrame(wake)));
      await drawn();
      let count = 0;
      const watched = new MutationObserver((found) => { for (const { addedNodes, removedNodes, type } of found) if (type === 'attributes' || addedNodes.length + removedNodes.length > 0) ++count; });
      watched.observe(one.querySelector('.sheet:not(.pinned)'), { attributes: true, childList: true, subtree: true });
      one.scrollTop += 280;
      await drawn();
      watched.disconnect();
      return count;
    });
    assert.ok(changes >= 20 && changes <= 40, `${changes} changes for ten rows that enter and ten that leave`);
    const { headers } = await fetch(`${world.control}/page/main.js`, { headers: { 'Accept-Encoding': 'br, gzip' } });
    assert.equal(headers.get('content-encoding'), null, 'compression takes longer than it saves');
    await context.close();
  },
});
