// Creates the pictures of the page in the documents. Sends the same requests to the sample's recording each time, with
// a stopped clock. The text of each picture is stored beside it, and a test compares it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { openRow, rows, tab } from './world.mjs';

export const folder = new URL('../../../docs/pictures/', import.meta.url);

const size = { width: 1200, height: 640 };

const calls = [
  ['SVC.API.Info', 'query', ''],
  ['SVC.API.Auth', 'login', '&account=ann&passwd=made-up'],
  ['SVC.Core.System.Status', 'get', ''],
  ['SVC.Core.Share', 'list', ''],
  ['SVC.Core.System.Status', 'get', '&verbose=true'],
  ['SVC.Core.Network', 'get', ''],
  ...Array.from({ length: 5 }, () => ['SVC.Core.System.Utilization', 'get', '']),
  ['SVC.Core.Unheard.Of', 'list', ''],
];

const opened = (text, name) => async (page) => {
  await page.getByText(text, { exact: true }).first().click();
  await tab(page, name);
};

/** Each picture with the actions before it, and its height without the empty rest of the page. */
export const pictures = {
  requests: { colorScheme: 'light', height: 360, pose: (page) => page.getByText('× 5').waitFor() },
  miss: {
    colorScheme: 'dark',
    height: 404,
    pose: async (page) => {
      await openRow(page, '.row.miss');
      await page.getByText('Nearest recordings').waitFor();
    },
  },
  response: { colorScheme: 'light', height: 400, pose: opened('SVC.API.Auth/1/login', 'Response') },
};

/** Runs in the page before its own scripts: makes everything equal that differs between runs. */
function freeze() {
  const real = globalThis.fetch;
  const steady = (text) => {
    let at = 0;
    return text
      .replace(/"now_us":\d+/g, '"now_us":30000000')
      .replace(/"recorded_us":\d+/g, '"recorded_us":0')
      .replace(/"at_us":\d+/g, () => `"at_us":${++at * 1_370_000}`)
      .replace(/"duration_us":\d+/g, '"duration_us":240')
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:8080')
      .replace(/"[^"]*\/nas\.cassette"/g, '"nas.cassette"')
      .replace(/"(id|recording)":"[0-9a-f]{16}"/g, '"$1":"0123456789abcdef"')
      .replace(/"version":"\d+\.\d+\.\d+"/g, '"version":"1.0.0"');
  };
  globalThis.fetch = async (path, options) => {
    const answer = await real(path, options);
    const body = answer.body.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TransformStream({ transform: (text, to) => to.enqueue(steady(text)) }))
      .pipeThrough(new TextEncoderStream());
    return new Response(body, { status: answer.status, headers: answer.headers });
  };
}

/** A server that received only these requests. */
export async function posed(world, use) {
  await world.serve();
  for (const [api, method, more] of calls) await (await world.ask(api, method, `${more}&_sid=made-up-client`)).arrayBuffer();
  await (await world.ask('SVC.Core.Share', 'create', '', { Origin: 'http://app.example' })).arrayBuffer();
  for (const [name, { colorScheme, pose, height = size.height }] of Object.entries(pictures)) {
    const context = await world.browser.newContext({ viewport: size, deviceScaleFactor: 2, colorScheme, locale: 'en-GB', timezoneId: 'UTC' });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await page.clock.setFixedTime(new Date('2026-01-15T10:00:00Z'));
    await page.addInitScript(freeze);
    await page.goto(world.link);
    await page.getByRole('button', { name: `${calls.length + 1} requests` }).waitFor();
    await rows(page).first().waitFor();
    await pose(page);
    await use(name, page, `${await page.locator('body').innerText()}\n`, { x: 0, y: 0, width: size.width, height });
    await context.close();
  }
}

export const pictureFlows = (world) => ({
  'the pictures in the documents show what the page shows': () => posed(world, (name, _page, text) => {
    assert.equal(text, readFileSync(new URL(`${name}.txt`, folder), 'utf8'), `docs/pictures/${name}: make them anew with script/pictures`);
  }),
});
