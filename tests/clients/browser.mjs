// Uses a browser (Debian's Chromium, headless) as client: pages on another origin, a served front end, cookies.
//   node browser.mjs TAPEDECK TEST_DEVICE

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import playwright from 'playwright-core';

import { account, Bench, chromium, password, run } from './support.mjs';

if (!existsSync(chromium.executablePath)) {
  console.log(`skipped: ${chromium.executablePath} is not there (script/bootstrap test)`);
  process.exit(77);
}

const bench = new Bench(process.argv[2], process.argv[3]);
const cassette = join(bench.folder, 'browser.cassette');
const html = '<!doctype html><meta charset="utf-8"><title>fixture</title>';

// The built front end of --serve.
const site = join(bench.folder, 'site');
mkdirSync(site);
writeFileSync(join(site, 'index.html'), html);

// A page of another origin, which serves only itself.
const elsewhere = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(html));
elsewhere.listen(0, '127.0.0.1');
await once(elsewhere, 'listening');
const foreignOrigin = `http://127.0.0.1:${elsewhere.address().port}`;

const browser = await playwright.chromium.launchPersistentContext(join(bench.folder, 'profile'), {
  ...chromium,
  ignoreHTTPSErrors: true,
});

const networkCall = '/webapi/entry.cgi?api=SYNO.Core.Network&version=1&method=get';

/** Opens a page of `origin` without cookies; closes it after `use`. */
async function on(origin, use) {
  await browser.clearCookies();
  const page = await browser.newPage();
  try {
    await page.goto(`${origin}/`);
    return await use(page);
  } finally {
    await page.close();
  }
}

/** Returns the result of `url` for a script of the page: status, outcome, and body, or the name of the error. */
const read = (page, url, options = {}) =>
  page.evaluate(
    async ([address, init]) => {
      try {
        const answer = await fetch(address, init);
        return { status: answer.status, outcome: answer.headers.get('X-Tapedeck-Outcome'), body: await answer.text() };
      } catch (error) {
        return { error: error.name };
      }
    },
    [url, options],
  );

/** Logs in by cookie, makes a call that only the cookie authorizes, logs out, and makes the same call again. Returns the four
 * bodies. */
async function cookieSession(page, base, options = {}) {
  const form = new URLSearchParams({
    api: 'SYNO.API.Auth', version: '6', method: 'login', account, passwd: password, format: 'cookie',
  });
  const login = {
    ...options, method: 'POST', body: form.toString(), headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  };
  const answers = [await read(page, `${base}/webapi/auth.cgi`, login), await read(page, base + networkCall, options)];
  answers.push(await read(page, `${base}/webapi/auth.cgi?api=SYNO.API.Auth&version=6&method=logout`, options));
  answers.push(await read(page, base + networkCall, options));
  return answers.map((answer) => answer.body);
}

let recorded;

/** Runs the session of a page against a replay server. The call between login and logout must return the device's bytes. */
function checkSession([login, network, logout, after]) {
  assert.equal(JSON.parse(login).success, true);
  assert.equal(network, recorded);
  assert.equal(JSON.parse(logout).success, true);
  assert.equal(JSON.parse(after).error.code, 119);
}

async function replaying(options, use) {
  const server = await bench.server('replay', ...options, cassette);
  const result = await use(server.url);
  assert.equal(await bench.stop(server), 0, server.said);
  return result;
}

/** A later version of the page: it logs in and shows the network, and now also the shares and a link. */
async function wholeFlow(page) {
  const form = new URLSearchParams({
    api: 'SYNO.API.Auth', version: '6', method: 'login', account, passwd: password, format: 'cookie',
  });
  const login = await read(page, '/webapi/auth.cgi', {
    method: 'POST', body: form.toString(), headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  assert.equal(JSON.parse(login.body).success, true);
  const cookies = await page.context().cookies();
  const seen = { id: cookies.find((cookie) => cookie.name === 'id').value };
  seen.network = await read(page, networkCall);
  seen.shares = await read(page, '/webapi/entry.cgi?api=SYNO.Core.Share&version=1&method=list');
  seen.link = await read(page, '/webapi/entry.cgi?api=SYNO.FileStation.List&version=2&method=getlink');
  await read(page, '/webapi/auth.cgi?api=SYNO.API.Auth&version=6&method=logout');
  seen.after = await read(page, networkCall);
  return seen;
}

await run(bench, {
  'a page that the recorder serves logs in by cookie, and is recorded': async () => {
    const device = await bench.device();
    const recorder = await bench.server('record', '--device', device.url, '--serve', site, cassette);
    const bodies = await on(recorder.url, (page) => cookieSession(page, ''));
    assert.equal(await bench.stop(recorder), 0, recorder.said);
    await bench.stop(device);
    recorded = bodies[1];
    assert.equal(JSON.parse(recorded).data.server_name, 'fixture-nas');
    checkSession(bodies);
  },
  'a page on another origin reads a replayed answer when --cors names its origin': () =>
    replaying(['--cors', foreignOrigin], (base) =>
      on(foreignOrigin, async (page) => {
        const answer = await read(page, `${base + networkCall}&_sid=any`);
        assert.deepEqual(answer, { status: 200, outcome: 'recorded', body: recorded });
        // A custom header makes the browser send a preflight request.
        const asked = await read(page, `${base + networkCall}&_sid=any`, { headers: { 'X-SYNO-TOKEN': 'made-up' } });
        assert.equal(asked.body, recorded);
      }),
    ),
  'a page on another origin logs in by cookie': () =>
    replaying(['--cors', foreignOrigin, '--auth', 'strict'], (base) =>
      on(foreignOrigin, async (page) => checkSession(await cookieSession(page, base, { credentials: 'include' }))),
    ),
  'a page on another origin is refused without --cors': () =>
    replaying([], async (base) => {
      // Another port of 127.0.0.1 is another origin of the same site; the name localhost is another site as well.
      for (const origin of [foreignOrigin, foreignOrigin.replace('127.0.0.1', 'localhost')]) {
        await on(origin, async (page) => {
          assert.deepEqual(await read(page, base + networkCall), { error: 'TypeError' });
          const refusal = page.waitForResponse((response) => response.request().method() === 'POST');
          const blind = await read(page, base + networkCall, { method: 'POST', mode: 'no-cors' });
          assert.deepEqual(blind, { status: 0, outcome: null, body: '' });
          assert.equal((await refusal).status(), 403);
        });
      }
    }),
  'a page on another origin is refused when --cors names a third one': () =>
    replaying(['--cors', 'http://app.example'], (base) =>
      on(foreignOrigin, async (page) =>
        assert.deepEqual(await read(page, base + networkCall), { error: 'TypeError' }),
      ),
    ),
  'a page of --serve reads an answer with no CORS, and logs in by cookie': () =>
    replaying(['--serve', site, '--auth', 'strict'], (base) =>
      on(base, async (page) => {
        assert.equal(JSON.parse((await read(page, networkCall)).body).error.code, 119);
        checkSession(await cookieSession(page, ''));
      }),
    ),
  'a page of --serve does the same over https': () =>
    replaying(['--serve', site, '--auth', 'strict', '--tls'], (base) =>
      on(base, async (page) => checkSession(await cookieSession(page, ''))),
    ),
  'a page at localhost reads answers of 127.0.0.1 on the same port, for they are one server': () =>
    replaying(['--serve', site], (base) =>
      on(base.replace('127.0.0.1', 'localhost'), async (page) => {
        const answer = await read(page, `${base + networkCall}&_sid=any`, { headers: { 'X-SYNO-TOKEN': 'made-up' } });
        assert.deepEqual(answer, { status: 200, outcome: 'recorded', body: recorded });
      }),
    ),
  'a link into an application leads to its page, and what its scripts ask for goes to the replay': () =>
    replaying(['--serve', site], (base) =>
      on(`${base}/users/7?tab=2`, async (page) => {
        assert.equal(await page.title(), 'fixture');
        assert.equal((await read(page, '/no/such/call')).outcome, 'miss');
        assert.equal((await read(page, `${networkCall}&_sid=any`)).body, recorded);
      }),
    ),
  'a page whose flow is half recorded completes it with --mode new, and is replayed whole': async () => {
    const device = await bench.device();
    const recorder = await bench.server('record', '--mode', 'new', '--device', device.url, '--serve', site, cassette);
    const seen = await on(recorder.url, (page) => wholeFlow(page));
    assert.equal(await bench.stop(recorder), 0, recorder.said);
    assert.match(recorder.out, /Core\.Share /);
    assert.doesNotMatch(recorder.out, /Core\.Network /);
    await bench.stop(device);
    assert.equal(seen.network.outcome, 'recorded');
    assert.equal(seen.network.body, recorded);
    assert.ok(JSON.parse(seen.shares.body).data.shares.length > 0);
    assert.ok(seen.id.length > 20 && seen.link.body.includes(seen.id));
    assert.equal(JSON.parse(seen.after.body).error.code, 119);
    const again = await replaying(['--serve', site, '--strict'], (base) => on(base, (page) => wholeFlow(page)));
    for (const step of ['network', 'shares', 'after']) assert.equal(again[step].body, seen[step].body);
    assert.ok(again.link.body.includes(again.id));
  },
  'the browser and the other origin end': async () => {
    await browser.close();
    elsewhere.closeAllConnections();
    elsewhere.close();
  },
});
