// Tests hand-written responses: created from requests, and written as sets.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { accessible, fitsIn, openRow, rows, tab, view } from './world.mjs';

/** Reloads the page, with a server that takes two seconds to return its state. */
async function reloadedSlowly(page) {
  await page.route('**/state', async (route) => {
    await new Promise((wake) => setTimeout(wake, 2_000));
    await route.continue();
  });
  await page.reload();
}

export const overlayFlows = (world) => {
  const status = (url = world.url) => world.ask('SVC.Core.System.Status', 'get', '', {}, url);
  const opened = async (page) => {
    await rows(page).first().waitFor();
    await openRow(page, '.row.recorded');
    await page.locator('.mock summary').click();
  };
  const pressed = async (page) => {
    await page.getByRole('button', { name: 'From now on', exact: true }).click();
    await page.getByText('The mock applies from now on').waitFor();
  };
  const drop = async () => {
    const { overlays } = await world.said('/overlays');
    for (const set of new Set(overlays.map((one) => one.set))) {
      await world.said('/overlays/delete', { method: 'POST', body: JSON.stringify({ set }), headers: { 'Content-Type': 'application/json' } });
    }
  };
  const saved = join(world.bench.folder, 'saved.toml');
  return {
    'a request is answered with an error from now on, which is switched off and on': async () => {
      await world.serve();
      await status();
      await world.visit(async (page) => {
        await opened(page);
        await page.getByLabel('Error code', { exact: true }).fill('119');
        await pressed(page);
        const answer = await status();
        assert.equal(answer.headers.get('X-Tapedeck-Outcome'), 'overlay');
        assert.deepEqual(await answer.json(), { error: { code: 119 }, success: false });
        await view(page, 'Overlays');
        await page.getByText('used once').waitFor();
        await page.getByRole('heading', { name: 'Error 119 (no session) for SVC.Core.System.Status/1/get' }).waitFor();
        await fitsIn(page);
        await page.getByRole('switch', { name: 'error 119 for SVC.Core.System.Status/get is on' }).click();
        await page.getByText('is off.').waitFor();
        assert.equal((await status()).headers.get('X-Tapedeck-Outcome'), 'recorded');
        await page.getByRole('switch', { name: 'error 119 for SVC.Core.System.Status/get is on' }).click();
        await page.getByText('is on.').waitFor();
        assert.equal((await status()).headers.get('X-Tapedeck-Outcome'), 'overlay');
      });
    },
    'overlays are saved as a file, and a server with that file answers the same': async () => {
      await world.visit(async (page) => {
        await view(page, 'Overlays');
        const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as a file for --overlay' }).click()]);
        await download.saveAs(saved);
        assert.match(readFileSync(saved, 'utf8'), /\[\[overlay\]\]/);
      }, undefined, { acceptDownloads: true });
      const again = await world.bench.server('replay', '--page', '--overlay', saved, world.cassette);
      assert.deepEqual(await (await status(again.url)).json(), { error: { code: 119 }, success: false });
      await world.bench.stop(again);
    },
    'a set is deleted, and the recording answers again': () => world.visit(async (page) => {
      await view(page, 'Overlays');
      await page.getByRole('button', { name: /^Delete / }).click();
      await page.getByText('No overlays yet').waitFor();
      assert.equal((await status()).headers.get('X-Tapedeck-Outcome'), 'recorded');
    }),
    'a request is delayed from now on': () => world.visit(async (page) => {
      await opened(page);
      await page.getByLabel('Respond with').selectOption('delay');
      await page.getByLabel('Delay, such as').fill('300ms');
      await pressed(page);
      const begun = performance.now();
      await (await status()).arrayBuffer();
      assert.ok(performance.now() - begun >= 290);
      await drop();
    }),
    'a delay that makes no sense is reported': () => world.visit(async (page) => {
      await opened(page);
      await page.getByLabel('Respond with').selectOption('delay');
      await page.getByLabel('Delay, such as').fill('soon');
      await page.getByRole('button', { name: 'From now on', exact: true }).click();
      await page.locator('#notice.visible', { hasText: /delay/i }).waitFor();
      assert.deepEqual((await world.said('/overlays')).overlays, []);
      page.faults.length = 0; // the browser reports the 400
    }),
    'a request is failed from now on': () => world.visit(async (page) => {
      await opened(page);
      await page.getByLabel('Respond with').selectOption('fault');
      await page.getByLabel('Fault').selectOption('reset');
      await pressed(page);
      await assert.rejects(status());
      await drop();
    }),
    'a request is answered with an edited body from now on': () => world.visit(async (page) => {
      await opened(page);
      await page.getByLabel('Respond with').selectOption('body');
      const body = page.getByRole('textbox', { name: 'Body' });
      assert.match(await body.inputValue(), /"is_system_crashed"/);
      assert.match(await body.inputValue(), /^\{\n {2}"data"/);
      await body.fill('{"data":');
      await page.getByText(/^Not JSON: /).waitFor();
      await page.getByRole('button', { name: 'From now on', exact: true }).click();
      await page.getByText('The body is not JSON.').waitFor();
      assert.deepEqual((await world.said('/overlays')).overlays, []);
      await body.fill('{"data":{"edited":true},"success":true}');
      await pressed(page);
      assert.deepEqual(await (await status()).json(), { data: { edited: true }, success: true });
      await page.goto(`${world.control}/#/requests`);
      await openRow(page, '.row.overlay >> nth=-1');
      await page.getByText('The response comes from an overlay').waitFor();
      await page.getByText('an edited body for SVC.Core.System.Status/get').first().waitFor();
      await drop();
    }),
    'one value of a response is patched from the tree': () => world.visit(async (page) => {
      await openRow(page, '.row.recorded');
      await tab(page, 'Response');
      await page.getByText('is_system_crashed').click();
      await page.getByRole('button', { name: 'Patch this value' }).click();
      const value = page.getByLabel('New value of data.is_system_crashed');
      assert.equal(await value.inputValue(), 'false');
      await value.fill('yes');
      await page.getByText('Put text in quotes').waitFor();
      await value.fill('true');
      await page.getByRole('button', { name: 'Patch from now on' }).click();
      await page.getByText('The mock applies from now on').waitFor();
      assert.equal((await (await status()).json()).data.is_system_crashed, true);
      await tab(page, 'Why');
      await view(page, 'Overlays');
      await page.getByText('/data/is_system_crashed becomes true for SVC.Core.System.Status').waitFor();
      await drop();
    }),
    'a set that was posted is changed, and what it does not name stays': async () => {
      const set = { set: 'by a test', scope: 'one', overlays: [{ name: 'busy', call: 'Core.System.Status/1/get', error: 117, delay: '1ms' }] };
      await world.said('/overlays', { method: 'POST', body: JSON.stringify(set), headers: { 'Content-Type': 'application/json' } });
      const inScope = () => world.ask('SVC.Core.System.Status', 'get', '', { 'X-Tapedeck-Scope': 'one' });
      assert.equal((await (await inScope()).json()).error.code, 117);
      await world.visit(async (page) => {
        await view(page, 'Overlays');
        await page.getByRole('button', { name: 'Edit by a test' }).click();
        const rules = page.getByLabel('Overlays, as JSON');
        await page.getByText('Valid: 1 overlay.').waitFor();
        assert.deepEqual(JSON.parse(await rules.inputValue()), set.overlays);
        assert.equal(await page.getByLabel('Only for scope').inputValue(), 'one');
        await rules.fill((await rules.inputValue()).replace('117', '118'));
        await page.getByRole('button', { name: 'Activate' }).click();
        await page.getByText('Set by a test is active.').waitFor();
        await fitsIn(page);
      });
      assert.equal((await (await inScope()).json()).error.code, 118);
      assert.equal((await status()).headers.get('X-Tapedeck-Outcome'), 'recorded');
      await drop();
    },
    'what is written while the server is still asked for its state stays': () => world.visit(async (page) => {
      await reloadedSlowly(page);
      await view(page, 'Overlays');
      await page.getByText('Write a set', { exact: true }).click();
      const rules = page.getByLabel('Overlays, as JSON');
      await rules.fill('[]');
      await page.locator('#server .state').waitFor();
      assert.equal(await rules.inputValue(), '[]');
    }),
    'links stay under the pointer when the server has said its state': () => world.visit(async (page) => {
      await reloadedSlowly(page);
      const link = page.getByRole('navigation').getByRole('link', { name: 'Overlays', exact: true });
      const before = await link.boundingBox();
      assert.equal(await page.locator('#server .state').count(), 0);
      await page.locator('#server .state').waitFor();
      assert.deepEqual(await link.boundingBox(), before);
    }),
    'a set is written with a check as one types': () => world.visit(async (page) => {
      await view(page, 'Overlays');
      await page.getByText('Write a set', { exact: true }).click();
      const rules = page.getByLabel('Overlays, as JSON');
      await rules.fill('[{"call":"Core.System.Status/1/get","eror":1}]');
      await page.getByText(/unknown key/).waitFor();
      await rules.fill('[{"call":"Core.System.Status/1/get","error":407,"times":1}]');
      await page.getByText('Valid: 1 overlay.').waitFor();
      await rules.fill('[[overlay]]\ncall = "Core.System.Status/1/get"\neror = 407');
      await page.getByText(/overlays:3: unknown key/).waitFor();
      await rules.fill('# as in a file\n[[overlay]]\ncall = "Core.System.Status/1/get"\nerror = 407\ntimes = 1');
      await page.getByText('Valid: 1 overlay.').waitFor();
      await page.getByRole('button', { name: 'Activate' }).click();
      await page.getByText('Set mine is active.').waitFor();
      assert.equal((await (await status()).json()).error.code, 407);
      await page.getByRole('button', { name: 'Edit mine' }).click();
      await page.getByText('Valid: 1 overlay.').waitFor();
      assert.match(await rules.inputValue(), /^# as in a file/);
      assert.equal((await status()).headers.get('X-Tapedeck-Outcome'), 'recorded');
      page.faults.length = 0; // the browser reports the 400
      await drop();
    }),
    'a response is held, changed, let go, and broken from the page': async () => {
      await world.serve();
      await world.visit(async (page) => {
        await page.getByText('No requests yet').waitFor();
        await page.getByRole('button', { name: 'Hold …' }).click();
        await page.getByLabel('Call', { exact: true }).fill('Core.System.Status/get');
        await page.getByRole('button', { name: 'Hold from now on' }).click();
        await page.getByText('wait here from now on').waitFor();
        const held = page.getByRole('region', { name: 'Waiting responses' });
        const [first, second, third] = [status(), status(), status()];
        const broken = assert.rejects(third);
        await held.getByText('3 responses of at most 100 wait').waitFor();
        await held.getByRole('button', { name: 'Let request 1 go' }).click();
        await held.getByText('2 responses of at most 100 wait').waitFor();
        await held.getByRole('button', { name: 'Change the response to request 2' }).click();
        await page.getByLabel('Error code', { exact: true }).fill('117');
        await held.getByRole('button', { name: 'Send', exact: true }).click();
        await held.getByText('1 response of at most 100 waits').waitFor();
        await accessible(page);
        await held.getByRole('button', { name: 'Break the connection of request 3' }).click();
        await held.waitFor({ state: 'hidden' });
        await broken;
        const bodies = await Promise.allSettled([first, second].map(async (one) => (await one).json()));
        assert.deepEqual(bodies.filter(({ value }) => value?.error?.code === 117).length, 1);
        await page.getByRole('button', { name: 'Hold …' }).click();
        await page.getByRole('button', { name: 'Stop holding' }).click();
        await page.getByText('Nothing is held any more.').waitFor();
        assert.equal((await status()).headers.get('X-Tapedeck-Outcome'), 'recorded');
      });
    },
    'an effect is made of a write that missed, and what was written is shown and cleared': async () => {
      await world.serve();
      const write = () => world.ask('SVC.Core.SNMP', 'set', '&location=cellar');
      const read = async () => (await (await world.ask('SVC.Core.SNMP', 'get')).json()).data.location;
      assert.equal((await write()).headers.get('X-Tapedeck-Outcome'), 'miss');
      await world.visit(async (page) => {
        await openRow(page, '.row.miss');
        assert.match(await page.getByLabel('Effect, as in an overlay file').inputValue(), /on = "Core\.SNMP\/\*\/set"[^]*in = "Core\.SNMP\/\*\/get"/);
        await page.getByRole('button', { name: 'Apply from now on' }).click();
        await page.getByText('The effect applies from now on').waitFor();
        assert.equal((await write()).headers.get('X-Tapedeck-Outcome'), 'derived');
        assert.equal(await read(), 'cellar');
        await openRow(page, '.row.derived');
        await page.getByText('An earlier write changed the recorded response').waitFor();
        await view(page, 'Overlays');
        await page.getByText('Core.SNMP/set with location = cellar changes Core.SNMP/get').waitFor();
        await page.getByRole('button', { name: 'Clear', exact: true }).click();
        await page.getByText('Nothing.', { exact: true }).waitFor();
        assert.equal(await read(), 'attic');
        await page.getByRole('button', { name: 'Delete effect of Core.SNMP/*/set' }).click();
        await page.getByText('Effects of writes').waitFor({ state: 'hidden' });
      });
    },
  };
};
