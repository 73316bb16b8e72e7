// Checks that clients of several accounts and sessions get the same responses from a device and its recording: a
// permission test with two accounts, a command that logs in in each process, a client that logs in again while calls of
// the ended session are still in flight, and a guest of two sharing links.
//   node accounts.mjs TAPEDECK

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { Bench, environment, run } from './support.mjs';

const bench = new Bench(process.argv[2], process.argv[3]);
const users = { admin: { shares: ['homes', 'music', 'finance'] }, guest: { shares: ['music'] } };
const links = { made0Up1Link: 'holidays', made2Up3Link: 'garden' };
const wait = (ms) => new Promise((wake) => setTimeout(wake, ms));

/** A device with random session IDs, a task, and a counter. A session ends after `calls` polls. */
async function startDevice(calls = Infinity) {
  const sessions = new Map();
  let polls = 0, progress = 0, refused = 0;
  const methods = {
    'SYNO.API.Auth/login': (params) => {
      const sid = randomBytes(24).toString('base64url');
      sessions.set(sid, { user: params.get('account'), left: calls });
      return { data: { sid } };
    },
    'SYNO.API.Auth/logout': (params) => void sessions.delete(params.get('_sid')),
    'SYNO.Core.Share/list': (_, session) => ({ data: { shares: users[session.user].shares } }),
    'SYNO.Core.User/list': (_, session) => (session.user === 'admin' ? { data: { users: Object.keys(users) } } : { code: 105 }),
    'SYNO.Backup.Task/start': () => ({ data: { task_number: 7, progress: (progress = 0) } }),
    'SYNO.Backup.Task/status': () => ({ data: { progress: (progress += 25) } }),
    'SYNO.Core.System.Utilization/get': (_, session) => (session.left-- > 0 ? { data: { n: ++polls } } : { code: 119 }),
  };
  const server = createServer(async (request, response) => {
    let text = request.url.split('?')[1] ?? '';
    for await (const piece of request) text += `&${piece}`;
    const params = new URLSearchParams(text);
    const name = `${params.get('api')}/${params.get('method')}`;
    const session = sessions.get(params.get('_sid'));
    const album = links[request.headers['x-syno-sharing']];
    let result = album ? { data: { name: album } } : { code: 119 };
    if (session || name === 'SYNO.API.Auth/login') result = methods[name]?.(params, session) ?? {};
    // The second of two refusals is late, so that the client logs in before it arrives.
    if (result.code === 119) await wait(refused++ % 2 === 0 ? 0 : 300);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(result.code ? { error: { code: result.code }, success: false } : { ...result, success: true }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

/** A client of one account. */
class Client {
  constructor(url, user) {
    Object.assign(this, { url, user, sid: '', marks: [] });
  }

  async send(api, method, params = {}) {
    const session = this.sid ? { _sid: this.sid } : {};
    const body = new URLSearchParams({ api, version: '1', method, ...params, ...session });
    const response = await fetch(`${this.url}/webapi/entry.cgi`, { method: 'POST', body });
    this.marks.push(response.headers.get('X-Tapedeck-Match') ?? '');
    return response.json();
  }

  async login() {
    this.sid = '';
    this.sid = (await this.send('SYNO.API.Auth', 'login', { account: this.user, passwd: 'made-up-Pass/9' })).data.sid;
    return this;
  }

  logout() {
    return this.send('SYNO.API.Auth', 'logout');
  }
}

async function permissions(url, order) {
  const seen = {};
  for (const user of order) {
    const client = await new Client(url, user).login();
    seen[user] = [await client.send('SYNO.Core.Share', 'list'), await client.send('SYNO.Core.User', 'list')];
    await client.logout();
    assert.deepEqual(client.marks.filter(Boolean), []);
  }
  return seen;
}

// The command of a user who works in a shell: each process logs in, makes one call, and does not log out.
const command = `
const [url, api, method] = process.argv.slice(1);
const send = async (params) => (await fetch(url + '/webapi/entry.cgi?' + new URLSearchParams({ version: '1', ...params }))).json();
const { sid } = (await send({ api: 'SYNO.API.Auth', method: 'login', account: 'admin', passwd: 'made-up-Pass/9' })).data;
console.log(JSON.stringify(await send({ api, method, _sid: sid })));
`;

async function inProcess(url, api, method) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', command, url, api, method],
    { env: environment(bench.folder), stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (text) => (out += text));
  await once(child, 'close');
  return JSON.parse(out);
}

async function task(url) {
  const seen = [await inProcess(url, 'SYNO.Backup.Task', 'start')];
  for (let i = 0; i < 3; ++i) seen.push(await inProcess(url, 'SYNO.Backup.Task', 'status'));
  return seen;
}

/** Sends two polls at once, three times. After a refusal it logs in once and repeats both. */
async function polls(url) {
  const client = await new Client(url, 'admin').login();
  const rounds = [];
  for (let i = 0; i < 3; ++i) {
    let again;
    const poll = async () => {
      const sid = client.sid;
      const result = await client.send('SYNO.Core.System.Utilization', 'get');
      if (result.success) return result.data.n;
      if (again || sid === client.sid) await (again ??= client.login());
      return poll();
    };
    rounds.push((await Promise.all([poll(), poll()])).sort());
  }
  return rounds;
}

/** Reads the albums of sharing links, as a picture frame does. */
async function albums(url, ids) {
  const seen = [];
  for (const id of ids) {
    const body = new URLSearchParams({ api: 'SYNO.Foto.Browse.Album', version: '1', method: 'get' });
    const response = await fetch(`${url}/photo/webapi/entry.cgi`, { method: 'POST', body, headers: { 'X-SYNO-SHARING': id } });
    seen.push((await response.json()).data?.name);
  }
  return seen;
}

/** Records what `use` does with a device, and checks that it gets the same from the recording. */
async function check(name, device, use, ...more) {
  const cassette = join(bench.folder, `${name}.cassette`);
  const recorder = await bench.server('record', '--device', device.url, cassette);
  const seen = await use(recorder.url, ...more);
  device.stop();
  assert.equal(await bench.stop(recorder), 0, recorder.said);
  const server = await bench.server('replay', '--strict=miss,order,account,past-end', cassette);
  assert.deepEqual(await use(server.url, ...more), seen);
  assert.equal(await bench.stop(server), 0, server.out + server.said);
  return { cassette, seen };
}

await run(bench, {
  'a permission test with two accounts, in any order and alone': async () => {
    const { cassette, seen } = await check('permissions', await startDevice(), permissions, ['admin', 'guest']);
    assert.deepEqual(seen.guest[0].data.shares, users.guest.shares);
    assert.equal(seen.guest[1].error.code, 105);
    for (const order of [['guest', 'admin'], ['guest'], ['admin'], ['guest', 'guest', 'admin', 'guest']]) {
      const server = await bench.server('replay', '--strict', cassette);
      const replayed = await permissions(server.url, order);
      for (const user of order) assert.deepEqual(replayed[user], seen[user], `${user} in ${order}`);
      assert.equal(await bench.stop(server), 0, server.out + server.said);
    }
  },

  'a command that logs in in each process': async () => {
    const { seen } = await check('task', await startDevice(), task);
    assert.deepEqual(seen.map((one) => one.data.progress), [0, 25, 50, 75]);
  },

  'a login while refused calls are still in flight': async () => {
    const { seen } = await check('polls', await startDevice(2), polls);
    assert.deepEqual(seen, [[1, 2], [3, 4], [5, 6]]);
  },

  'a guest of two sharing links': async () => {
    const [first, second] = Object.keys(links);
    const { cassette, seen } = await check('links', await startDevice(), albums, [first, second, first]);
    assert.deepEqual(seen, ['holidays', 'garden', 'holidays']);
    const bytes = readFileSync(cassette);
    for (const id of Object.keys(links)) assert.equal(bytes.includes(id), false, 'the cassette contains a link');
    const server = await bench.server('replay', cassette);
    assert.deepEqual(await albums(server.url, [second, 'made4Up5Link', first]), ['garden', undefined, 'holidays']);
    await bench.stop(server);
  },
});
