// The pictures of the page in the documents: the sample's recording, asked the same each time under a clock that stands
// still. Beside each picture its text is kept, which a test compares.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { rows } from './world.mjs';

export const folder = new URL('../../../docs/pictures/', import.meta.url);

const calls = [
  ['SVC.API.Info', 'query', ''],
  ['SVC.API.Auth', 'login', '&account=ann&passwd=made-up'],
  ['SVC.Core.System.Status', 'get', ''],
  ['SVC.Core.Share', 'list', ''],
  ['SVC.Core.System.Status', 'get', '&verbose=true'],
  ['SVC.Core.Network', 'get', ''],
  ['SVC.Core.Unheard.Of', 'list', ''],
];

const opened = (text) => async (page) => {
  await page.getByText(text).first().click();
  await page.getByText('Ask again').first().waitFor();
};

/** Each with what is done before the picture is taken. */
export const pictures = {
  requests: { colorScheme: 'light', pose: (page) => rows(page).nth(calls.length - 1).waitFor() },
  miss: {
    colorScheme: 'dark',
    pose: async (page) => {
      await page.locator('.row.miss').first().click();
      await page.getByText('Ask again').first().waitFor();
    },
  },
  answer: { colorScheme: 'light', pose: opened('SVC.API.Auth/1/login') },
};

/** In the page, before its own scripts: what differs from run to run is made the same. */
function freeze() {
  const real = globalThis.fetch;
  const steady = (text) => {
    let at = 0;
    return text
      .replace(/"(now_us|recorded_us)":\d+/g, '"$1":0')
      .replace(/"at_us":\d+/g, () => `"at_us":${++at * 37_000}`)
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

/** A server that was asked, and nothing else. */
export async function posed(world, use) {
  await world.serve();
  for (const [api, method, more] of calls) await (await world.ask(api, method, `${more}&_sid=made-up-client`)).arrayBuffer();
  for (const [name, { colorScheme, pose }] of Object.entries(pictures)) {
    const context = await world.browser.newContext({ viewport: { width: 1000, height: 640 }, colorScheme, locale: 'en-GB', timezoneId: 'UTC' });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await page.clock.setFixedTime(new Date('2026-01-15T10:00:00Z'));
    await page.addInitScript(freeze);
    await page.goto(world.link);
    await rows(page).nth(calls.length - 1).waitFor();
    await pose(page);
    await use(name, page, `${await page.locator('body').innerText()}\n`);
    await context.close();
  }
}

export const pictureFlows = (world) => ({
  'the pictures in the documents show what the page shows': () => posed(world, (name, _page, text) => {
    assert.equal(text, readFileSync(new URL(`${name}.txt`, folder), 'utf8'), `docs/pictures/${name}: make them anew with script/pictures`);
  }),
});
