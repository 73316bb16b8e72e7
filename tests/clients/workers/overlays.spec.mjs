// Run by ../overlays.mjs with four workers against one server: each test has overlays of its own scope.

import { expect, test } from '@playwright/test';

const { TAPEDECK_URL, TAPEDECK_CONTROL, TAPEDECK_TOKEN } = process.env;

/** Calls the control API; throws its error. */
async function control(path, body) {
  const answer = await fetch(TAPEDECK_CONTROL + path, {
    method: 'POST',
    headers: { 'X-Tapedeck-Token': TAPEDECK_TOKEN, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

const states = ['crashed', 'degraded', 'repairing', 'normal', 'read_only', 'expanding', 'checking', 'unmounted'];

for (const [number, state] of states.entries()) {
  test(`a volume is shown as ${state}`, async ({ page }, { title, workerIndex }) => {
    const scope = encodeURIComponent(title);
    await control('/overlays', {
      set: title,
      scope,
      overlays: [{ call: 'Core.Storage.Volume/1/list', data: { volumes: [{ status: state, test: number }] } }],
    });
    try {
      await page.setExtraHTTPHeaders({ 'X-Tapedeck-Scope': scope });
      for (let time = 0; time < 5; ++time) {
        await page.goto(`${TAPEDECK_URL}/?worker=${workerIndex}`);
        await expect(page.locator('#volume')).toHaveText(`${state} ${number}`);
        await expect(page.locator('#network')).toHaveText('no overlay');
      }
    } finally {
      await control('/overlays/delete', { set: title });
    }
    await page.goto(TAPEDECK_URL);
    await expect(page.locator('#volume')).toHaveText('no volumes: miss');
  });
}
