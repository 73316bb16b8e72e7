// Tests the list of requests, its filter, and the details of one request.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

import { environment } from '../support.mjs';
import { close, fact, fitsIn, openRow, rows, tab } from './world.mjs';

export const requestFlows = (world) => ({
  'a replay server with --page says where its page is': async () => {
    assert.equal(world.link, `${world.control}/#token=${world.token}`);
    // The ready file is written before the line is printed.
    for (let i = 0; i < 400 && !world.server.said.includes(world.link); ++i) await new Promise((wake) => setTimeout(wake, 25));
    assert.equal(world.server.said.split(world.token).length - 1, 1, 'the token is in the printed link alone');
    assert.ok(world.server.said.includes(`page: ${world.link}`));
  },
  'the token leaves the address bar and stays in the tab; the empty list says what to do': () => world.visit(async (page) => {
    await page.getByText('No requests yet').waitFor();
    assert.equal(page.url(), `${world.control}/#/requests`);
    assert.match(await page.locator('.first-run').textContent(), new RegExp(`${world.url}.*curl.*vite\\.config\\.js.*What the colors mean.*miss`, 's'));
    await page.reload();
    await page.getByText('No requests yet').waitFor();
  }),
  'rows arrive with outcome, status, size and duration, and the header names the cassette': () => world.visit(async (page) => {
    await page.getByText('No requests yet').waitFor();
    await world.ask('SVC.Core.System.Status', 'get');
    await world.ask('SVC.Core.Nothing', 'get', '&secret=no');
    await page.getByText('SVC.Core.System.Status/1/get').waitFor();
    await page.getByText('SVC.Core.Nothing/1/get').waitFor();
    assert.deepEqual(await rows(page).locator('.badge').allTextContents(), ['recorded', 'builtin']);
    assert.match(await rows(page).first().locator('.duration').textContent(), /^\d+(\.\d+)? (µs|ms)$/);
    assert.match(await rows(page).first().locator('.size').textContent(), /^\d+(\.\d+)? k?B$/);
    assert.match(await rows(page).first().locator('time').textContent(), /^(now|\d+ s)$/);
    await rows(page).first().locator('time').hover();
    assert.match(await rows(page).first().locator('time').getAttribute('title'), /\d\d.\d\d.\d\d.\d\d\d/);
    assert.match(await rows(page).nth(1).locator('.status').textContent(), /^102 no such API$/);
    assert.match(await page.locator('#server').textContent(), /^live nas\.cassette http:/);
    assert.equal(await page.title(), 'Tapedeck');
  }),
  'a miss is counted in title and header, opens beside the list with its reason, and Esc closes it': () => world.visit(async (page) => {
    await world.ask('SVC.Core.Share', 'get', '&name=other');
    await openRow(page, '.row.miss');
    await page.getByText('No recording matches this request.').waitFor();
    assert.match(await page.locator('.row.miss .reason').textContent(), /^name differs$/);
    assert.equal(await page.locator('.miss-card .primary:visible').count(), 1);
    await page.getByText('As a block of an overlay file').click();
    assert.match(await page.locator('.miss-card').textContent(), /\[\[overlay\]\]\ncall = "SVC\.Core\.Share\/1\/get"\nparams = \{ name = "other" \}\ndata = \{\}/);
    assert.match(await fact(page, 'Key'), /name=other/);
    assert.equal(await page.title(), '(1) Tapedeck');
    assert.equal(await page.getByRole('button', { name: '1 miss' }).count(), 1);
    assert.match(await page.locator('.snippet pre').first().textContent(), /^tapedeck record --mode new --page --device \S+ \S*nas\.cassette$/);
    await rows(page).first().waitFor();
    await close(page);
  }),
  'a request that was refused is listed with the option that allows it': () => world.visit(async (page) => {
    const refused = await world.ask('SVC.Core.Share', 'list', '', { Origin: 'http://app.example' });
    assert.equal(refused.status, 403);
    await openRow(page, '.row.refused');
    await page.locator('.panel').getByText('pages of http://app.example are refused').waitFor();
    assert.match(await page.locator('.row.refused .reason').textContent(), /pages of http:\/\/app\.example are refused/);
    assert.equal(await page.locator('.panel .tab-content code').first().textContent(), '--cors http://app.example');
    await page.getByRole('button', { name: '1 refused' }).click();
    assert.deepEqual(await rows(page).locator('.badge').allTextContents(), ['refused']);
    assert.equal((await world.said('/journal?outcome=refused')).entries[0].key, 'SVC.Core.Share/1/list');
    await page.getByRole('button', { name: '1 refused' }).click();
    await rows(page).nth(2).waitFor();
  }),
  'a recorded response says where it is from and what was left out of the key': () => world.visit(async (page) => {
    await world.ask('SVC.Core.System.Status', 'get', '&_sid=somebody', { Cookie: 'id=made-up-id' });
    await rows(page).nth(4).waitFor();
    await openRow(page, '.row.recorded >> nth=-1');
    await page.getByText('The response comes from a recording.').waitFor();
    assert.match(await fact(page, 'Recording'), /^[0-9a-f]{16} in nas\.cassette, take 1, lane \d+$/);
    assert.equal(await fact(page, 'Left out of the key'), '_sid');
    assert.match(await fact(page, 'In its sequence'), /^\d+ of \d+/);
    await tab(page, 'Headers');
    await page.getByText('<COOKIE>').waitFor();
    assert.ok(!(await page.locator('main').textContent()).includes('made-up-id'));
    await tab(page, 'Why');
  }),
  'a response is a tree with a search and paths to copy, and raw text': () => world.visit(async (page) => {
    await openRow(page, '.row.recorded');
    await tab(page, 'Response');
    await page.getByText('is_system_crashed').waitFor();
    const search = page.getByLabel('Find in the response');
    await search.fill('crashed');
    await page.getByText('1 found').waitFor();
    await page.keyboard.press('Enter');
    assert.match(await page.locator('.hit-now').textContent(), /is_system_crashed/);
    assert.equal(await page.getByLabel('Path').textContent(), 'data.is_system_crashed');
    await page.getByRole('button', { name: 'Copy path' }).click();
    await page.getByText('Copied.').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'data.is_system_crashed');
    await page.getByRole('button', { name: 'Copy value' }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'false');
    await tab(page, 'Raw');
    assert.match(await page.locator('pre.raw').textContent(), /^\{.*"success":true\}\s*$/s);
    await search.fill('crashed');
    assert.equal(await page.locator('mark.hit').textContent(), 'crashed');
    await search.fill('nowhere-at-all');
    await page.getByText('nothing found').waitFor();
  }, undefined, { permissions: ['clipboard-read', 'clipboard-write'] }),
  'redactions are marked in the response, in the tree and raw': () => world.visit(async (page) => {
    await fetch(`${world.url}/webapi/entry.cgi?api=SVC.API.Auth&version=7&method=login&account=ann&passwd=b`);
    await page.getByText('SVC.API.Auth/7/login').click();
    for (const name of ['Response', 'Raw']) {
      await tab(page, name);
      await page.locator('.tab-content mark').first().waitFor();
      assert.ok((await page.locator('.tab-content mark').allTextContents()).includes('‹SESSION_ID›'));
    }
  }),
  'the search takes words and fields, chips and counters agree with it, and Esc clears it': () => world.visit(async (page) => {
    await rows(page).first().waitFor();
    const search = page.getByRole('combobox', { name: 'Search' });
    const shownOutcomes = async () => [...new Set(await rows(page).locator('.badge').allTextContents())];
    await page.keyboard.press('/');
    await page.keyboard.type('nothing');
    await page.getByText(/^1 of \d/).waitFor();
    await search.fill('outcome:miss');
    assert.deepEqual(await shownOutcomes(), ['miss']);
    assert.equal(await page.getByRole('button', { name: '1 miss' }).getAttribute('aria-pressed'), 'true');
    await page.getByRole('button', { name: /^\d+ builtin$/ }).click();
    const counts = (await page.locator('.chip').allTextContents()).map((text) => Number(text.split(' ')[0]));
    assert.equal(counts.slice(1).reduce((sum, one) => sum + one, 0), counts[0], 'the counters add up');
    assert.deepEqual((await shownOutcomes()).sort(), ['builtin', 'miss']);
    assert.equal(await search.inputValue(), 'outcome:miss outcome:builtin');
    await search.fill('api:Core.Nothing session:1 -outcome:recorded');
    await page.getByText('No requests match the filter').waitFor();
    await search.press('Escape');
    assert.equal(await search.inputValue(), '');
    await page.getByRole('button', { name: 'Sessions', exact: true }).click();
    await page.getByLabel('Find a session or scope').fill('on 1');
    await page.getByRole('button', { name: 'session 1', exact: true }).click();
    await rows(page).first().waitFor();
    assert.equal(await search.inputValue(), 'session:"session 1"');
    await page.getByRole('group', { name: 'Sessions and scopes' }).getByRole('button', { name: 'session 1', exact: true }).click();
    await page.keyboard.press('Escape');
    assert.equal(await page.getByLabel('Find a session or scope').isVisible(), false);
  }),
  'the list is filtered by scope': () => world.visit(async (page) => {
    await world.ask('SVC.Core.System.Status', 'get', '', { 'X-Tapedeck-Scope': 'login%20fails' });
    await page.getByRole('button', { name: 'Sessions', exact: true }).click();
    await page.getByRole('button', { name: 'scope login fails' }).click();
    await page.keyboard.press('Escape');
    await page.getByText(/^1 of /).waitFor();
    assert.match(await rows(page).locator('.who').textContent(), /^login fails/);
  }),
  'columns sort the list, and a pinned request stays above it': () => world.visit(async (page) => {
    await rows(page).nth(2).waitFor();
    await page.getByRole('button', { name: 'Sort by duration' }).click();
    const times = async () => page.evaluate(async () => {
      const { store } = await import('/page/store.js');
      return [...document.querySelectorAll('.sheet:not(.pinned) .row')].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((one) => store.row(Number(one.querySelector('.number').textContent)).duration_us ?? -1);
    });
    const ascending = await times();
    assert.deepEqual(ascending, [...ascending].sort((a, b) => a - b));
    assert.equal(await page.getByRole('columnheader', { name: 'Sort by duration' }).getAttribute('aria-sort'), 'ascending');
    await page.getByRole('button', { name: 'Sort by duration' }).click();
    assert.deepEqual(await times(), [...ascending].reverse());
    await openRow(page, '.row.miss');
    await page.getByRole('button', { name: 'Pin', exact: true }).click();
    await page.locator('.pinned .row.miss').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Pin', exact: true }).getAttribute('aria-pressed'), 'true');
    await page.getByRole('button', { name: 'Clear' }).click();
    assert.equal(await page.locator('.pinned .row.miss').count(), 1);
    await page.keyboard.press('Escape');
  }),
  'two responses are compared line by line': () => world.visit(async (page) => {
    await rows(page).first().waitFor();
    await world.said('/overlays', { method: 'POST', body: JSON.stringify({ set: 'compared', overlays: [{ call: 'Core.System.Status/*/get', merge: { data: { is_system_crashed: true } } }] }), headers: { 'Content-Type': 'application/json' } });
    await world.ask('SVC.Core.System.Status', 'get');
    await world.said('/overlays/delete', { method: 'POST', body: JSON.stringify({ set: 'compared' }), headers: { 'Content-Type': 'application/json' } });
    await openRow(page, '.row.overlay >> nth=-1');
    await tab(page, 'Compare');
    await page.getByText('2 lines differ').waitFor();
    assert.match(await page.locator('.diff .gone').textContent(), /"is_system_crashed": false/);
    assert.match(await page.locator('.diff .new').textContent(), /"is_system_crashed": true/);
    await tab(page, 'Why');
  }),
  'the timeline has a bar for each request, by session': () => world.visit(async (page) => {
    await rows(page).first().waitFor();
    await page.getByRole('button', { name: 'Timeline' }).click();
    await page.getByRole('img', { name: /Timeline: \d+ requests in \d+ sessions/ }).waitFor();
    const { total } = await world.said('/journal?limit=1');
    assert.equal(await page.locator('.timeline rect').count(), total);
    await page.getByRole('button', { name: 'Timeline' }).click();
    await page.locator('.timeline').waitFor({ state: 'hidden' });
  }),
  'the method and the reason are never cut, and the toolbar of a phone is low': () => world.visit(async (page) => {
    await world.ask('SVC.Core.SecurityScan.Checklist.Notification', 'rule_get_of_group', '&additional=1');
    await rows(page).first().waitFor();
    for (const [width, height] of [[1400, 860], [1024, 720], [390, 780]]) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(200);
      const cut = await page.evaluate(() => [...document.querySelectorAll('.method, .row.miss .reason')].filter((one) => {
        const cell = one.closest('[role=cell]').getBoundingClientRect();
        const own = one.getBoundingClientRect();
        return own.width > 0 && (own.right > cell.right + 1 || own.left < cell.left - 1 || one.scrollWidth > one.clientWidth + 1);
      }).map((one) => one.textContent));
      assert.deepEqual(cut, [], `at ${width} pixels`);
      await fitsIn(page);
      if (width < 500) assert.ok((await page.locator('.tools[role=search]').boundingBox()).height <= height / 10);
      await page.getByRole('button', { name: 'Sessions' }).click();
      await page.getByPlaceholder('Find a session or scope').waitFor();
      const panel = await page.locator('.menu[data-open] > .menu-panel').boundingBox();
      assert.ok(panel.x >= 0 && panel.x + panel.width <= width, `the menu at ${width} pixels`);
      await fitsIn(page);
      await page.keyboard.press('Escape');
    }
  }),
  'equal requests in a row are one line, which unfolds': () => world.visit(async (page) => {
    await rows(page).first().waitFor();
    const before = await rows(page).count();
    for (let i = 0; i < 15; ++i) await world.ask('SVC.Core.System.Status', 'get', '&_sid=poller');
    await page.getByText('× 15').waitFor();
    assert.equal(await rows(page).count(), before + 1);
    await page.getByRole('button', { name: 'Show 15 equal requests' }).click();
    await page.getByRole('button', { name: 'Hide 15 equal requests' }).waitFor();
    assert.equal(await page.locator('.row.inner').count(), 15);
    await page.getByRole('button', { name: 'Hide 15 equal requests' }).click();
    await page.locator('.row.inner').first().waitFor({ state: 'detached' });
  }),
  'the list is paused, goes on and is cleared': () => world.visit(async (page) => {
    await rows(page).first().waitFor();
    const all = Number(/of (\d+)/.exec(await page.locator('.count').textContent())[1]);
    await page.getByRole('button', { name: 'Pause' }).click();
    await world.ask('SVC.Core.System.Status', 'get');
    await page.getByText(`${all} of ${all}, paused`).waitFor();
    await page.getByRole('button', { name: `${all + 1} requests` }).waitFor();
    await page.getByText(`${all} of ${all}, paused`).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText(`${all + 1} of ${all + 1}`).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No requests yet').waitFor();
    assert.equal(await rows(page).count(), 0);
  }),
  'of many rows only those that can be seen are in the document, and the last is followed': () => world.visit(async (page) => {
    await Promise.all(Array.from({ length: 600 }, () => world.ask('SVC.Core.System.Status', 'get')));
    await page.getByText(/6\d\d of 6\d\d/).waitFor();
    await page.getByRole('button', { name: 'Fold' }).click();
    const { total } = await world.said('/journal?limit=1');
    await page.locator(`#row-${total}`).waitFor();
    assert.ok((await rows(page).count()) < 80);
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.locator('.scroller').evaluate((scroller) => scroller.scrollTo(0, 0));
    await page.locator('#row-1').waitFor();
    await world.ask('SVC.Core.System.Status', 'get');
    await page.getByText(`${total + 1} of ${total + 1}`).waitFor();
    assert.equal(await page.locator('.scroller').evaluate((scroller) => scroller.scrollTop), 0);
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.locator(`#row-${total + 1}`).waitFor();
  }),
  ...Object.fromEntries((process.env.TAPEDECK_LONG ? [380, 820, 1400] : [380]).map((width) => [
    `at ${width} pixels nothing is cut off`, () => world.visit(async (page) => {
      await rows(page).first().waitFor();
      await fitsIn(page);
      await openRow(page, '.row.recorded >> nth=-1');
      await page.getByText('The response comes from a recording.').waitFor();
      await fitsIn(page);
      const [list, panel] = await Promise.all(['.list', '.panel'].map((one) => page.locator(one).boundingBox()));
      assert.equal(panel.x > list.x, width > 900, 'the panel is beside the list in a wide window, else below it');
    }, undefined, { size: { width, height: 700 }, reducedMotion: 'reduce' })])),
});

/** What only long runs try: the keyboard, widths, locales, copies, and two pages at a time. */
export const moreRequestFlows = (world) => ({
  'the arrow keys walk the tree': () => world.visit(async (page) => {
    await openRow(page, '.row.recorded');
    await tab(page, 'Response');
    await page.getByRole('treeitem').first().focus();
    const path = () => page.getByLabel('Path').textContent();
    for (const [key, expected] of [['ArrowDown', 'data'], ['ArrowRight', 'data.is_system_crashed'], ['ArrowLeft', 'data'], ['End', 'success'], ['Home', '(whole response)']]) {
      await page.keyboard.press(key);
      assert.equal(await path(), expected, key);
    }
    await page.keyboard.press('ArrowLeft');
    assert.equal(await page.getByRole('treeitem').filter({ visible: true }).count(), 1);
  }),
  'a request is copied as curl, which sends it again, and as tests': () => world.visit(async (page) => {
    await openRow(page, '.row.recorded');
    const copied = async (name) => {
      await page.getByRole('button', { name: `Copy as ${name}` }).click();
      await page.getByText('Copied.').waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const command = await copied('curl');
    assert.match(command, /^curl -G 'http:\/\/127\.0\.0\.1:\d+\/webapi\/entry\.cgi' -d 'api=SVC\.Core\.System\.Status&version=1&method=get&_sid=any'$/);
    const said = spawnSync('sh', ['-c', command], { env: environment(world.bench.folder) });
    assert.match(String(said.stdout), /is_system_crashed/);
    for (const [name, runs] of [['Playwright', 'node'], ['Vitest', 'node'], ['pytest', 'python3']]) {
      const text = await copied(name);
      assert.match(text, /nas\.cassette/);
      const check = runs === 'node' ? ['--check', '--input-type=module'] : ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'];
      const checked = spawnSync(runs, check, { input: text, env: environment(world.bench.folder) });
      assert.equal(checked.status, 0, `${name}: ${checked.stderr}`);
    }
  }, undefined, { permissions: ['clipboard-read', 'clipboard-write'] }),
  'j and k go from request to request, Enter opens one, Esc returns to the list, and ? lists the keys': () => world.visit(async (page) => {
    await page.getByText(/6\d\d of 6\d\d/).waitFor();
    const focused = () => page.evaluate(() => document.activeElement.id);
    await page.getByRole('button', { name: 'Fold' }).click();
    await page.keyboard.press('k');
    const last = Number((await focused()).slice(4));
    await page.keyboard.press('k');
    assert.equal(await focused(), `row-${last - 1}`);
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(), `row-${last}`);
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement, '::after').outlineStyle), 'none');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `${last} SVC` }).waitFor();
    assert.equal(await focused(), 'title');
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: `${last - 1} SVC` }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.panel').waitFor({ state: 'hidden' });
    await page.waitForFunction((id) => document.activeElement.id === id, `row-${last - 1}`);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }),
  'columns and the panel change their width, by pointer and by keyboard': () => world.visit(async (page) => {
    await rows(page).first().waitFor();
    const width = (selector) => page.locator(selector).first().evaluate((one) => one.getBoundingClientRect().width);
    const before = await width('.row.head .status');
    await page.getByRole('separator', { name: 'Width of Status' }).focus();
    for (let i = 0; i < 3; ++i) await page.keyboard.press('ArrowRight');
    assert.ok(Math.abs((await width('.row.head .status')) - before - 48) < 2);
    assert.ok(Math.abs((await width('.sheet .row .status')) - before - 48) < 2);
    await openRow(page, '.row.recorded');
    const panel = await width('.panel');
    const place = await page.getByRole('separator', { name: 'Width of the details' }).boundingBox();
    await page.mouse.move(place.x + 2, place.y + 300);
    await page.mouse.down();
    await page.mouse.move(place.x - 98, place.y + 300);
    await page.mouse.up();
    assert.ok(Math.abs((await width('.panel')) - panel - 100) < 5);
  }),
  'dates follow the locale of the reader, to the millisecond': async () => {
    for (const [locale, looks] of [['de-DE', /^\d{1,2}\. \p{L}+\.? \d{4}, \d\d:\d\d:\d\d,\d{3}$/u], ['en-US', /^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d\d:\d\d:\d\d\.\d{3}\s[AP]M$/]]) {
      await world.visit(async (page) => {
        await openRow(page, '.row.recorded >> nth=-1');
        assert.match(await fact(page, 'Time'), looks);
      }, undefined, { locale });
    }
  },
  'two pages show the same at once': () => world.visit((one) => world.visit(async (two) => {
    await Promise.all([one, two].map((page) => page.getByText(/6\d\d of 6\d\d/).waitFor()));
    const { total } = await world.said('/journal?limit=1');
    await world.ask('SVC.Core.System.Status', 'get');
    await Promise.all([one, two].map((page) => page.getByText(`${total + 1} of ${total + 1}`).waitFor()));
  })),
  'the last response of a sequence is marked in the list and in the details': () => world.visit(async (page) => {
    const others = (await world.said('/journal?api=SVC.Core.System.Utilization&limit=1000')).entries.map(({ number }) => number);
    const isPoll = ({ number }) => !others.includes(number);
    let last;
    for (let polls = 1; polls < 8 && last?.position + 1 !== last?.of; ++polls) {
      await world.ask('SVC.Core.System.Utilization', 'get', '&_sid=polls');
      const { entries } = await world.until('/journal?api=SVC.Core.System.Utilization&limit=1000', (found) => found.entries.filter(isPoll).length === polls);
      last = entries.filter(isPoll).at(-1);
    }
    assert.ok(last.of > 1 && last.position + 1 === last.of, JSON.stringify(last));
    await page.getByRole('combobox', { name: 'Search' }).fill('Utilization');
    await rows(page).locator('.end').last().waitFor();
    await page.goto(`${world.control}/#/requests/${last.number}`);
    await page.getByText(`${last.of} of ${last.of}, the last one: --at-end decides what follows`).waitFor();
  }),
  'a request that is not kept is reported as such': () => world.visit(async (page) => {
    await page.goto(`${world.control}/#/requests/999999`);
    await page.getByText('Request 999999 is not available').waitFor();
    page.faults.length = 0; // the browser reports the 404
  }),
});
