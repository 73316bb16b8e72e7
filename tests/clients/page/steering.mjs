// Tests changes of responses: remedies, overlays, sessions, scopes; and the view of recordings.

import assert from 'node:assert/strict';

import { accessible, fitsIn, openRow, view } from './world.mjs';

export const steeringFlows = (world) => {
  const share = (more) => world.ask('SVC.Core.Share', 'list', more);
  const outcome = async (answer) => (await answer).headers.get('X-Tapedeck-Outcome');
  return {
    'a miss opened, its remedy pressed, the same request answered, and the rule taken back': async () => {
      await world.serve();
      await world.visit(async (page) => {
        const odd = () => world.ask('SVC.Core.System.Status', 'get', '&odd=1');
        assert.equal(await outcome(odd()), 'miss');
        await openRow(page, '.row.miss');
        const table = page.getByRole('table', { name: /Compared with/ }).first();
        assert.match(await table.textContent(), /odd.*1.*not recorded/s);
        await page.getByRole('button', { name: 'Ignore odd from now on' }).click();
        await page.getByText('The rule applies from now on').waitFor();
        assert.equal(await outcome(odd()), 'recorded');
        await view(page, 'Rules');
        await page.getByText('Core.System.Status get').waitFor();
        assert.match(await page.locator('pre').textContent(), /\[\[replay\.match\]\]\napi = "Core\.System\.Status"\nmethod = "get"\nignore = \["odd"\]/);
        await page.getByRole('button', { name: /Remove rule/ }).click();
        await page.getByText('The rule was removed.').waitFor();
        assert.equal(await outcome(odd()), 'miss');
      });
    },
    'recordings: what was played and what never was, and the answers of a sequence': () => world.visit(async (page) => {
      await world.ask('SVC.Core.System.Status', 'get');
      await view(page, 'Recordings');
      await page.getByText(/\d+ of \d+ sequences; \d+ never played/).waitFor();
      const known = (await world.said('/recordings?limit=1000')).sequences;
      await page.locator('details.api').evaluateAll((all) => all.forEach((one) => { one.open = true; }));
      await page.locator('.sequence').nth(known.length - 1).waitFor();
      assert.equal(await page.locator('.sequence').count(), known.length);
      const unplayed = page.getByRole('button', { name: 'Never played', exact: true });
      await unplayed.click();
      assert.equal(await page.locator('.api > summary', { hasText: /System\.Status\b/ }).count(), 0);
      await unplayed.click();
      await page.getByLabel('Search recordings').fill('Core.System.Utilization/');
      await page.getByRole('img', { name: /^\d+ of \d+ played/ }).first().waitFor();
      await page.getByLabel('Search recordings').fill('Core.System.Status');
      await page.getByRole('button', { name: /^get v1/ }).click();
      await page.getByText('is_system_crashed').waitFor();
      await page.getByRole('button', { name: 'Response 1', exact: true }).click();
      await page.getByText('Redactions').or(page.getByText('Took')).first().waitFor();
      await page.getByLabel('Search recordings').fill('');
    }),
    'sessions: one is reset, all are dropped, and the server has done it': () => world.visit(async (page) => {
      await world.ask('SVC.Core.System.Status', 'get', '&_sid=brought-along');
      await fetch(`${world.url}/webapi/entry.cgi?api=SVC.API.Auth&version=7&method=login&account=ann&passwd=b`);
      await view(page, 'Sessions');
      const table = page.getByRole('table', { name: 'Sessions' });
      await table.waitFor();
      assert.match(await table.textContent(), /session 1.*adopted.*session 2ann/s);
      await table.getByRole('link', { name: /Core\.System\.Status\/1\/get$/ }).waitFor();
      await page.getByRole('button', { name: 'Reset session 2' }).click();
      await page.getByText('session 2 starts again').waitFor();
      await page.getByRole('button', { name: 'Drop session 1' }).click();
      await page.getByText('session 1 was removed').waitFor();
      assert.equal((await world.said('/sessions')).total, 1);
      await page.getByRole('button', { name: 'Drop all' }).click();
      await page.getByText('No sessions yet').waitFor();
      assert.equal((await world.said('/sessions')).total, 0);
    }),
    'a scope that ran is listed and dropped': () => world.visit(async (page) => {
      await fetch(new URL('/~scope/100%25%20odd%20%23%20name/webapi/entry.cgi?api=SVC.Core.System.Status&version=1&method=get', world.url));
      await view(page, 'Sessions');
      await page.getByRole('button', { name: 'Drop 100%25 odd %23 name' }).click();
      await page.getByText('100%25 odd %23 name was removed.').waitFor();
      await page.getByText('No request was in a scope.').waitFor();
      assert.deepEqual((await world.said('/scope')).runs, []);
    }),
    'the keyboard alone presses a remedy, and takes the rule back': async () => {
      const odd = () => world.ask('SVC.Core.System.Status', 'get', '&odd=keys');
      assert.equal(await outcome(odd()), 'miss');
      await world.visit(async (page) => {
        /** Presses Tab until the focused element has this name. */
        const reach = async (name) => {
          for (let i = 0; i < 80; ++i) {
            await page.keyboard.press('Tab');
            if (await page.evaluate((wanted) => (document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).startsWith(wanted), name)) return;
          }
          assert.fail(`Tab never came to ${name}`);
        };
        await page.locator('.row.miss').first().waitFor();
        await page.keyboard.press('k');
        while (!(await page.evaluate(() => document.activeElement.closest('.row.miss')))) await page.keyboard.press('k');
        await page.keyboard.press('Enter');
        await page.getByText('Nearest recordings').waitFor();
        await reach('Ignore odd from now on');
        await page.keyboard.press('Enter');
        await page.getByText('The rule applies from now on').waitFor();
        assert.equal(await outcome(odd()), 'recorded');
        await page.keyboard.press('Escape');
        await page.locator('h1').click();
        await reach('Rules');
        await page.keyboard.press('Enter');
        await reach('Remove rule');
        await page.keyboard.press('Enter');
        await page.getByText('The rule was removed.').waitFor();
      });
      assert.equal(await outcome(odd()), 'miss');
    },
    'every view fits into 380 and 1,400 pixels and can be used by everybody, light and dark': async () => {
      await world.said('/overlays', { method: 'POST', body: JSON.stringify({ set: 'shown', overlays: [{ call: 'Core.Nobody/1/get', error: 117 }] }), headers: { 'Content-Type': 'application/json' } });
      const { entries } = await world.said('/journal');
      const number = (outcome) => entries.find((entry) => entry.outcome === outcome).number;
      for (const colorScheme of ['light', 'dark']) {
        await world.visit(async (page) => {
          for (const name of ['Recordings', 'Overlays', 'Rules', 'Sessions', 'Requests']) {
            await view(page, name);
            await page.getByRole('heading', { name, exact: true }).waitFor({ state: 'attached' });
            if (name === 'Overlays') await page.getByRole('button', { name: 'Edit shown' }).click();
            for (const width of [1400, 380]) {
              await page.setViewportSize({ width, height: 700 });
              await fitsIn(page);
            }
            await accessible(page);
          }
          for (const outcome of ['miss', 'recorded']) {
            await page.goto(`${world.control}/#/requests/${number(outcome)}`);
            await page.getByRole('heading', { name: `${number(outcome)} SVC` }).waitFor();
            await accessible(page);
          }
        }, undefined, { size: { width: 380, height: 700 }, colorScheme });
      }
    },
  };
};
