// The device's web login: a browser and a program log in to a simulated device through the recorder, and then to the
// recording, where Tapedeck makes the handshake in place of the device.
//   node web_login.mjs TAPEDECK TEST_DEVICE

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { constants, createPublicKey, createCipheriv, createHash, publicEncrypt, randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { join } from 'node:path';

import playwright from 'playwright-core';

import { account, Bench, chromium, environment, password, run } from './support.mjs';
import { fromBase64url, Initiator, toBase64url, WebSession } from './web_login/client.mjs';
import { WebDevice } from './web_login/device.mjs';

if (!existsSync(chromium.executablePath)) {
  console.log(`skipped: ${chromium.executablePath} is not there (script/bootstrap test)`);
  process.exit(77);
}

const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;
const bench = new Bench(process.argv[2], process.argv[3]);
const cassette = join(bench.folder, 'web.cassette');

// The page of the device, with the packages that it uses.
const site = join(bench.folder, 'site');
mkdirSync(site);
cpSync(join(here, 'web_login', 'page.html'), join(site, 'index.html'));
cpSync(join(here, 'web_login', 'client.mjs'), join(site, 'client.mjs'));
for (const name of ['ciphers', 'curves', 'hashes']) {
  cpSync(join(here, 'node_modules', '@noble', name, 'esm'), join(site, 'noble', name, 'esm'), { recursive: true });
}

const browser = await playwright.chromium.launchPersistentContext(join(bench.folder, 'profile'), chromium);

/** Encrypts a login as clients do over plain http. */
function encrypt(info, form) {
  const n = Buffer.from(info.public_key, 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
  const passphrase = Buffer.from(randomBytes(501).map((byte) => 33 + (byte % 90)));
  const salt = randomBytes(8);
  let derived = Buffer.alloc(0);
  for (let last = Buffer.alloc(0); derived.length < 48; derived = Buffer.concat([derived, last])) {
    last = createHash('md5').update(Buffer.concat([last, passphrase, salt])).digest();
  }
  const cipher = createCipheriv('aes-256-cbc', derived.subarray(0, 32), derived.subarray(32, 48));
  const text = new URLSearchParams(form).toString();
  const aes = Buffer.concat([Buffer.from('Salted__'), salt, cipher.update(text), cipher.final()]).toString('base64');
  const rsa = publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, passphrase).toString('base64');
  return { [info.cipherkey]: JSON.stringify({ rsa, aes }) };
}

/** A session of a program, which keeps its cookies. `headers` are those of the last response. */
function program(base) {
  const cookies = {};
  const seen = { headers: {} };
  const send = (path, body, headers) =>
    new Promise((resolve, reject) => {
      const Cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`).join('; ');
      const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const options = { method: 'POST', headers: { ...type, ...headers, ...(Cookie && { Cookie }) } };
      if (base.startsWith('https:')) options.ca = readFileSync(bench.certificate);
      const request = (base.startsWith('https:') ? https : http).request(base + path, options, (response) => {
        let text = '';
        response.on('data', (piece) => (text += piece));
        response.on('end', () => {
          seen.headers = response.headers;
          for (const line of response.headers['set-cookie'] ?? []) {
            const [, name, value] = /^([^=]*)=([^;]*)/.exec(line);
            cookies[name] = value;
          }
          resolve(JSON.parse(text));
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  const session = new WebSession({ send, ssid: () => cookies._SSID, store: {}, encrypt });
  return Object.assign(session, { seen, cookies });
}

const model = async (session, headers) => {
  const answer = await session.call('SYNO.Core.System', 1, 'info', headers);
  return answer.success ? answer.data.model : answer.error.code;
};

/** Opens the page, logs in, reloads, and logs out. Returns what it shows, and the outcomes of all responses. */
async function useDesktop(base) {
  await browser.clearCookies();
  const page = await browser.newPage();
  const outcomes = new Set();
  page.on('response', (response) => {
    if (response.url().includes('/webapi/')) outcomes.add(response.headers()['x-tapedeck-outcome'] ?? 'device');
  });
  const shown = async () => [
    await page.textContent('#state'), await page.textContent('#model'), await page.textContent('#shares'),
  ];
  const reaches = (state) => page.waitForFunction((text) => document.querySelector('#state').textContent === text, state);
  try {
    await page.goto(`${base}/`);
    await reaches('logged out');
    await page.fill('[name=account]', account);
    await page.fill('[name=passwd]', password);
    await page.click('#login button');
    await reaches('logged in');
    const first = await shown();
    await page.reload();
    await reaches('logged in');
    const second = await shown();
    await page.click('#logout');
    await reaches('logged out');
    return { first, second, outcomes: [...outcomes] };
  } finally {
    await page.close();
  }
}

async function replaying(options, use) {
  const server = await bench.server('replay', ...options, cassette);
  const result = await use(server.url);
  assert.equal(await bench.stop(server), 0, server.said);
  return result;
}

const desktop = ['logged in', 'FIXTURE-4', 'video'];
const device = new WebDevice(account, password);
let deviceKey;

await run(bench, {
  'a browser and programs log in to the device through the recorder': async () => {
    await device.start();
    const recorder = await bench.server('record', '--device', device.url, '--serve', site, cassette);
    const seen = await useDesktop(recorder.url);
    assert.deepEqual([seen.first, seen.second], [desktop, desktop]);

    const limited = program(recorder.url);
    assert.equal((await limited.logIn(account, password, { handshake: false })).success, true);
    assert.equal(await model(limited), 105);
    assert.equal((await limited.call('SYNO.FileStation.Info', 2, 'get')).data.hostname, 'fixture-nas');
    await limited.logOut();

    const full = program(recorder.url);
    assert.equal((await full.logIn(account, password, { encrypted: true })).success, true);
    deviceKey = full.cookies._SSID;
    assert.equal(await model(full), 'FIXTURE-4');
    await full.logOut();
    assert.equal(await bench.stop(recorder), 0, recorder.said);
    device.stop();
  },
  'no file of the run contains a key, message, hash, or ID': async () => {
    assert.ok(device.secrets.size > 15);
    const values = join(bench.folder, 'values.txt');
    writeFileSync(values, `${[...device.secrets, password].join('\n')}\n`);
    const scan = spawnSync(bench.program, ['scan', '--values', values, cassette], { env: environment(bench.folder), encoding: 'utf8' });
    assert.equal(scan.status, 0, scan.stdout + scan.stderr);
    const bytes = readFileSync(cassette, 'latin1');
    for (const secret of device.secrets) assert.ok(!bytes.includes(secret.slice(0, 20)), 'a secret is in the cassette');
  },
  'the page logs in, reloads, and logs out offline, strict and lenient': async () => {
    for (const auth of ['strict', 'lenient']) {
      const seen = await replaying(['--auth', auth, '--serve', site], useDesktop);
      assert.deepEqual(seen, { first: desktop, second: desktop, outcomes: ['recorded'] }, auth);
    }
  },
  'a program makes the handshake over https, resumes, and is refused without its hashes': () =>
    replaying(['--auth', 'strict', '--tls'], async (base) => {
      const session = program(base);
      assert.equal((await session.logIn(account, password)).success, true);
      assert.equal(session.seen.headers['x-tapedeck-outcome'], 'recorded');
      assert.notEqual(session.cookies._SSID, deviceKey);
      const used = session.noise.requestHash();
      assert.equal(await model(session, { 'X-SYNO-HASH': used }), 'FIXTURE-4');
      for (const hash of [used, used.slice(0, -1), `A${used}`]) assert.equal(await model(session, { 'X-SYNO-HASH': hash }), 119);
      assert.equal((await session.resume()).success, true);
      assert.equal(await model(session), 'FIXTURE-4');
      session.noise = undefined;
      assert.equal(await model(session), 119);
    }),
  'an encrypted login over http makes the handshake, inside of the cipher text or beside it': () =>
    replaying(['--auth', 'strict'], async (base) => {
      for (const inside of [false, true]) {
        const session = program(base);
        assert.equal((await session.logIn(account, password, { encrypted: true, inside })).success, true);
        assert.equal(session.seen.headers['x-tapedeck-outcome'], 'recorded');
        assert.equal(await model(session), 'FIXTURE-4');
        await session.logOut();
      }
    }),
  'limited and full sessions of an account get their own recordings, in any order': () =>
    replaying(['--auth', 'strict'], async (base) => {
      const full = program(base);
      const limited = program(base);
      await full.logIn(account, password);
      await limited.logIn(account, password, { handshake: false });
      assert.deepEqual([await model(limited), await model(full)], [105, 'FIXTURE-4']);
    }),
  'a repeated message is answered anew, and a wrong or damaged one is refused with a reason': () =>
    replaying([], async (base) => {
      const session = program(base);
      const fields = await session.begin();
      const again = await session.logIn(account, password, { fields });
      const other = program(base);
      other.noise = { read: () => {} };
      const twice = await other.logIn(account, password, { fields });
      assert.equal(twice.success && again.success, true);
      assert.notEqual(twice.data.sid, again.data.sid);
      assert.notEqual(twice.data.ik_message, again.data.ik_message);

      const stranger = new Initiator('IK', randomBytes(32), fromBase64url(deviceKey));
      const damaged = fromBase64url(fields.ik_message);
      damaged[50] ^= 1;
      for (const ik_message of [stranger.write('{}'), toBase64url(damaged), 'AAAA']) {
        const refused = await session.logIn(account, password, { fields: { ik_message } });
        assert.equal(refused.error.code, 400);
        assert.equal(session.seen.headers['x-tapedeck-outcome'], 'miss');
        assert.match(session.seen.headers['x-tapedeck-miss'], /Noise_IK_25519_ChaChaPoly_BLAKE2b/);
      }
    }),
  'the browser ends': () => browser.close(),
});
