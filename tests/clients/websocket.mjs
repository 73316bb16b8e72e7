// Records WebSockets of ws and socket.io (both versions of Engine.IO that devices use), and replays them to the same
// clients.
//   node websocket.mjs TAPEDECK TEST_DEVICE (the tests' device is not used)

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import playwright from 'playwright-core';
import { io } from 'socket.io-client';
import io2 from 'socket.io-client2';
import { Server } from 'socket.io';
import server2 from 'socket.io2';
import { WebSocket, WebSocketServer } from 'ws';

import { Bench, chromium, environment, run } from './support.mjs';

if (!existsSync(chromium.executablePath)) {
  console.log(`skipped: ${chromium.executablePath} is not there (script/bootstrap test)`);
  process.exit(77);
}

const bench = new Bench(process.argv[2], process.argv[3]);
const browser = await playwright.chromium.launch(chromium);
const patience = 30_000; // milliseconds for a client to have its messages
let count = 0;
const newCassette = () => join(bench.folder, `${++count}.cassette`);

/** Responds to logins with a new session each time. */
function answerLogin(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://device.invalid');
  if (pathname.startsWith('/socket.io/')) return;
  const [, kind, version] = /^\/(page|client)-([24])/.exec(pathname) ?? [];
  if (kind === 'page') return response.writeHead(200, { 'Content-Type': 'text/html' }).end(pageOf(version));
  if (kind === 'client') {
    const file = new URL(`node_modules/${packages[version]}/dist/socket.io.js`, import.meta.url);
    return response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(readFileSync(file));
  }
  if (searchParams.get('method') !== 'login') return response.writeHead(404).end();
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ data: { sid: randomBytes(16).toString('hex') }, success: true }));
}

async function logIn(url) {
  const query = 'api=SYNO.API.Auth&version=6&method=login&account=ann&passwd=Wq8-zebra-Lm3&format=sid';
  const response = await fetch(`${url}/webapi/entry.cgi?${query}`);
  return (await response.json()).data.sid;
}

/** Starts a device whose WebSockets `serve` gets; `finish` is called when it ends. */
async function device(attach) {
  const http = createServer(answerLogin);
  const close = attach(http);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${http.address().port}`,
    async close() {
      await close?.();
      http.closeAllConnections();
      http.close();
    },
  };
}

const plain = (serve) => device((server) => {
  const sockets = new WebSocketServer({ server, perMessageDeflate: true });
  sockets.on('connection', serve);
  return () => sockets.clients.forEach((socket) => socket.terminate());
});

const shown = (data, isBinary) => (data.length > 1000 ? `${data.length} bytes` : isBinary ? `#${data.toString('hex')}` : String(data));

/** Opens a WebSocket and returns what it received, in order. `react(socket, message, n)` sends the client's messages. */
function talk(url, path, react) {
  return new Promise((done, fail) => {
    const received = [];
    const socket = new WebSocket(url.replace('http', 'ws') + path);
    const late = setTimeout(() => fail(new Error(`too late; received ${JSON.stringify(received)}`)), patience);
    const end = (what) => {
      clearTimeout(late);
      received.push(what);
      done(received);
    };
    const take = (text) => {
      received.push(text);
      react(socket, text, received.length);
    };
    socket.on('message', (data, isBinary) => take(shown(data, isBinary)));
    socket.on('pong', (data) => take(`pong ${data}`));
    socket.on('close', (code, reason) => end(`close ${code} ${reason}`));
    socket.on('unexpected-response', (_, response) => end(`status ${response.statusCode}`));
    socket.on('error', () => {});
    socket.on('open', () => react(socket, null, 0));
  });
}

/** Records what `use(url)` does, then ends the recorder. Returns the cassette and the result of `use`. */
async function recorded(url, use, ...options) {
  const cassette = newCassette();
  const recorder = await bench.server('record', cassette, '--device', url, ...options);
  const result = await use(recorder.url);
  assert.equal(await bench.stop(recorder), 0, recorder.said + recorder.out);
  return { cassette, result, said: recorder.said };
}

/** Does the same with a replay. Returns the result of `use`, and the replay's exit status and output. */
async function replayed(cassette, use, ...options) {
  const server = await bench.server('replay', cassette, ...options);
  const result = await use(server.url);
  const status = await bench.stop(server);
  return { result, status, said: server.said + server.out };
}

function tapedeck(...args) {
  const child = spawnSync(bench.program, args, { env: environment(bench.folder), encoding: 'utf8' });
  assert.equal(child.status, 0, child.stderr);
  return child.stdout;
}

const firstId = (cassette) => /^[0-9a-f]{16}/m.exec(tapedeck('ls', cassette))[0];

/** A server that greets, echoes, and closes on "bye", and a client that says everything that a client can say. */
const echo = (socket) => {
  socket.send(JSON.stringify({ hello: 'client', n: 1 }));
  socket.on('message', (data, isBinary) => {
    socket.send(isBinary ? data : `echo ${data}`);
    if (String(data) === 'bye') socket.close(4001, 'done');
  });
};
const long = 'x'.repeat(70_000);
const sent = ['one', Buffer.from([1, 2, 255]), '', 'Grüße ✓', long, 'bye'];
const chat = (url, words = sent, path = '/ss_webstream_task/?task=7') => talk(url, path, (socket, text, n) => {
  if (n === 2) return socket.ping('are you there');
  const word = words[n > 2 ? n - 2 : n - 1];
  if (n >= 1 && word !== undefined) socket.send(word);
});

/** A server that greets with the session of the request, and expects the same one in a message. */
const sessions = (socket, request) => {
  const session = new URL(request.url, 'http://device.invalid').searchParams.get('_sid');
  socket.send(JSON.stringify({ session, user: 'ann' }));
  socket.on('message', (data, isBinary) => {
    if (isBinary) return socket.send(Buffer.concat([Buffer.from([0, 255]), Buffer.from(session)]));
    socket.send(JSON.parse(data).session === session ? 'welcome' : 'unknown session');
  });
};
async function enter(url) {
  const session = await logIn(url);
  const received = await talk(url, `/ss_webstream_task/?_sid=${session}`, (socket, text, n) => {
    if (n === 1) socket.send(JSON.stringify({ session, want: 'status' }));
    if (n === 2) socket.close(1000, 'enough');
  });
  return { session, received };
}

/** A server that numbers its connections. */
function numbered() {
  let connections = 0;
  return (socket) => {
    socket.send(`connection ${++connections}`);
    socket.on('message', (data) => socket.send(`${data} again`));
  };
}
const visit = (url, word = 'hello') => talk(url, '/events?all', (socket, text, n) => {
  if (n === 1) socket.send(word);
  if (n === 2) socket.close(1000);
});

const packages = { 2: 'socket.io-client2', 4: 'socket.io-client' };
const pageOf = (version) => `<!doctype html><title>desktop</title><script src="/client-${version}.js"></script><script>
  window.seen = []; window.disconnects = 0;
  const socket = io();
  const upgraded = setInterval(() => {
    if (!socket.connected || socket.io.engine.transport.name !== 'websocket') return;
    clearInterval(upgraded);
    socket.emit('start');
  }, 50);
  socket.on('hello', (what) => seen.push('hello ' + what.connection));
  socket.on('tick', (n) => seen.push('tick ' + n));
  socket.on('disconnect', () => ++window.disconnects);
</script>`;

/** Starts a device with socket.io of this version, which numbers its connections. */
const socketIo = (version, serve = () => {}) => device((http) => {
  const options = { pingInterval: 800, pingTimeout: 3000 };
  const server = version === 4 ? new Server(http, options) : server2(http, options);
  let connections = 0;
  server.on('connection', (socket) => {
    const connection = ++connections;
    socket.emit('hello', { connection });
    serve(socket);
    socket.on('ask', (what, answer) => answer(`${what} ${connection}`));
  });
  return () => new Promise((done) => server.close(done));
});
/** Connects, waits over some heartbeats, and asks. */
function converse(version, url, transports) {
  return new Promise((done, fail) => {
    const received = [];
    const socket = (version === 4 ? io : io2)(url, { forceNew: true, reconnection: false, transports });
    const late = setTimeout(() => fail(new Error(`too late; received ${JSON.stringify(received)}`)), patience);
    const end = (what) => {
      clearTimeout(late);
      received.push(what);
      done(received);
    };
    socket.on('connect_error', (error) => end(error.message));
    socket.on('disconnect', end);
    socket.on('hello', (what) => {
      received.push(what);
      setTimeout(() => socket.emit('ask', 'name', (answer) => {
        received.push(answer);
        socket.close();
      }), 2000);
    });
  });
}

const steps = {
  async 'text, binary, empty, and long messages, pings, and the close code'() {
    const server = await plain(echo);
    const expected = await chat(server.url);
    assert.deepEqual(expected.slice(0, 4), ['{"hello":"client","n":1}', 'echo one', 'pong are you there', '#0102ff']);
    assert.equal(expected.at(-1), 'close 4001 done');
    const { cassette, result } = await recorded(server.url, chat);
    await server.close();
    assert.deepEqual(result, expected);
    const { result: again, status, said } = await replayed(cassette, chat, '--strict');
    assert.deepEqual(again, expected, said);
    assert.equal(status, 0, said);
  },
  async 'a session of its own, which no cassette contains'() {
    const server = await plain(sessions);
    const { cassette, result } = await recorded(server.url, enter);
    await server.close();
    assert.deepEqual(result.received, [JSON.stringify({ session: result.session, user: 'ann' }), 'welcome', 'close 1000 enough']);
    assert.ok(!readFileSync(cassette).includes(result.session));
    const { result: again, status, said } = await replayed(cassette, enter, '--strict');
    assert.notEqual(again.session, result.session);
    assert.deepEqual(again.received, [JSON.stringify({ session: again.session, user: 'ann' }), 'welcome', 'close 1000 enough']);
    assert.equal(status, 0, said);
  },
  async 'no form of a session or password in a message is stored'() {
    const forms = [(s) => s, (s) => Buffer.from(s).toString('base64'), (s) => Buffer.from(s).toString('hex'),
      (s) => [...s].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')];
    const secret = 'Tq7-otter-Rk29';
    const server = await plain((socket) => {
      socket.send('ready');
      socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    });
    const use = async (url) => {
      const session = await logIn(url);
      const texts = forms.flatMap((form) => [
        form(session), JSON.stringify({ value: form(session) }), `42["join",${JSON.stringify(JSON.stringify({ deep: form(session) }))}]`,
      ]);
      const words = [JSON.stringify({ passwd: secret }), ...texts, ...texts.map((text) => Buffer.from(text)), ...forms.map((form) => form(secret))];
      const received = await talk(url, `/ss_webstream_task/?_sid=${session}`, (socket, text, n) => {
        if (n > words.length) socket.close(1000);
        else if (n > 0) socket.send(words[n - 1]);
      });
      return { session, received, words };
    };
    const { cassette, result } = await recorded(server.url, use);
    await server.close();
    assert.equal(result.received.length, result.words.length + 2);
    const stored = readFileSync(cassette);
    for (const value of [result.session, secret, 'Wq8-zebra-Lm3']) {
      for (const form of forms) assert.ok(!stored.includes(form(value)), form(value));
    }
    const { result: again, status, said } = await replayed(cassette, use);
    assert.equal(again.received.length, result.received.length, said);
    assert.equal(status, 0, said);
  },
  async 'a binary message with the session is withheld'() {
    const server = await plain(sessions);
    const ask = async (url) => talk(url, `/ss_webstream_task/?_sid=${await logIn(url)}`, (socket, text, n) => {
      if (n === 1) socket.send(Buffer.from([1]));
      if (n === 2) socket.close(1000);
    });
    const { cassette, result } = await recorded(server.url, ask);
    await server.close();
    assert.match(result[1], /^#00ff/);
    const rows = execFileSync('sqlite3', [cassette, 'SELECT number, direction, type, bytes IS NULL, withheld FROM messages']);
    assert.equal(String(rows), '1|device|text|0|\n2|client|binary|0|\n3|device|binary|1|a binary message with a secret\n');
    const { result: again, said } = await replayed(cassette, ask, '--strict');
    assert.deepEqual(again.slice(1), ['#', 'close 1000 '], said);
  },
  async 'two clients at once get the messages of their own connections'() {
    const server = await plain(numbered());
    const use = async (url) => [await visit(url, 'a'), await visit(url, 'b')];
    const { cassette, result } = await recorded(server.url, use);
    await server.close();
    const { result: again } = await replayed(cassette, (url) => Promise.all([visit(url, 'a'), visit(url, 'b')]));
    assert.deepEqual(again.map(([first]) => first).sort(), ['connection 1', 'connection 2']);
    assert.deepEqual(result.map(([first]) => first), ['connection 1', 'connection 2']);
  },
  async 'a client that differs in one message is noticed, and gets all messages'() {
    const server = await plain(numbered());
    const { cassette, result } = await recorded(server.url, visit);
    await server.close();
    const other = (url) => visit(url, 'Hello');
    const lenient = await replayed(cassette, other);
    assert.deepEqual(lenient.result, result);
    assert.equal(lenient.status, 0, lenient.said);
    assert.match(lenient.said, /1 of 1 messages of the client differ/);
    assert.notEqual((await replayed(cassette, other, '--strict=messages')).status, 0);
    assert.equal((await replayed(cassette, visit, '--strict=messages')).status, 0);
  },
  async 'a client that connects again gets the next connection, and after the last one what --at-end says'() {
    const server = await plain(numbered());
    const times = (n) => async (url) => {
      const all = [];
      for (let i = 0; i < n; ++i) all.push((await visit(url))[0]);
      return all;
    };
    const { cassette, result } = await recorded(server.url, times(2));
    await server.close();
    assert.deepEqual(result, ['connection 1', 'connection 2']);
    for (const [option, last] of [['stick', 'connection 2'], ['loop', 'connection 1'], ['miss', 'status 404']]) {
      const { result: again } = await replayed(cassette, times(3), '--at-end', option);
      assert.deepEqual(again, ['connection 1', 'connection 2', last]);
    }
  },
  async 'a server that pushes, at once or in recorded time'() {
    const pushes = 10, pause = 100;
    const server = await plain(async (socket) => {
      for (let i = 0; i < pushes; ++i) {
        socket.send(`push ${i}`);
        await new Promise((wake) => setTimeout(wake, pause));
      }
      socket.close(1001);
    });
    const listen = async (url) => {
      const began = performance.now();
      const received = await talk(url, '/push', () => {});
      return { received, time: performance.now() - began };
    };
    const { cassette, result } = await recorded(server.url, listen);
    await server.close();
    assert.equal(result.received.length, pushes + 1);
    const quick = await replayed(cassette, listen);
    const slow = await replayed(cassette, listen, '--delay', 'recorded');
    assert.deepEqual(quick.result.received, result.received);
    assert.deepEqual(slow.result.received, result.received);
    assert.ok(slow.result.time >= (pushes - 1) * pause, `${slow.result.time} ms`);
  },
  async 'a device that ends the connection without a close frame, or refuses it'() {
    const server = await device((http) => {
      const sockets = new WebSocketServer({ noServer: true });
      http.on('upgrade', (request, socket, head) => {
        if (request.url === '/refused') return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
        sockets.handleUpgrade(request, socket, head, (one) => one.send('last words', () => one.terminate()));
      });
    });
    const use = async (url) => [await talk(url, '/cut', () => {}), await talk(url, '/refused', () => {})];
    const expected = [['last words', 'close 1006 '], ['status 403']];
    const { cassette, result } = await recorded(server.url, use);
    await server.close();
    assert.deepEqual(result, expected);
    assert.deepEqual((await replayed(cassette, use)).result, expected);
  },
  async 'overlays refuse the connection, or cut it after some messages'() {
    const server = await plain(echo);
    const { cassette, result } = await recorded(server.url, chat);
    await server.close();
    for (const [change, expected] of [['status = 503', ['status 503']], ['cut_after = 2', [...result.slice(0, 2), 'close 1006 ']]]) {
      const file = join(bench.folder, 'overlay.toml');
      writeFileSync(file, `[[overlay]]\npath = "GET /ss_webstream_task/"\n${change}\n`);
      const { result: again, said } = await replayed(cassette, chat, '--overlay', file);
      assert.deepEqual(again, expected, said);
    }
  },
  async 'a message beyond --max-message reaches the client, and ends the recording of the connection'() {
    const server = await plain(echo);
    const { cassette, result } = await recorded(server.url, chat, '--max-message', '1K');
    await server.close();
    assert.equal(result.at(-1), 'close 4001 done');
    const { result: again } = await replayed(cassette, chat);
    assert.deepEqual(again, [...result.slice(0, -3), 'close 1006 ']);
    assert.match(tapedeck('show', cassette, firstId(cassette)), /a message is longer than --max-message/);
  },
  async 'a recorder that ends while a connection is open: replay leaves it open until its client closes it'() {
    const server = await plain(numbered());
    const cassette = newCassette();
    const recorder = await bench.server('record', cassette, '--device', server.url);
    const began = performance.now();
    let ending;
    const cut = await talk(recorder.url, '/open', (socket, text, n) => {
      if (n === 1) ending = bench.stop(recorder);
    });
    assert.equal(await ending, 0, recorder.said);
    assert.ok(performance.now() - began < 5000);
    await server.close();
    assert.deepEqual(cut, ['connection 1', 'close 1006 ']);
    const { result } = await replayed(cassette, (url) => talk(url, '/open', (socket, text, n) => {
      if (n === 1) setTimeout(() => socket.close(4000, 'mine'), 300);
    }));
    assert.deepEqual(result, ['connection 1', 'close 4000 mine']);
  },
  async 'a recorder that is killed while messages flow has stored all that its client got'() {
    const server = await plain((socket) => {
      let n = 0;
      const timer = setInterval(() => socket.send(`message ${n++}`), 2);
      socket.on('close', () => clearInterval(timer));
    });
    const cassette = newCassette();
    const recorder = await bench.server('record', cassette, '--device', server.url);
    const got = await talk(recorder.url, '/flow', (socket, text, n) => {
      if (n === 100) recorder.kill('SIGKILL');
    });
    await server.close();
    assert.ok(got.length > 100);
    const { result } = await replayed(cassette, (url) => talk(url, '/flow', () => {}));
    // More may be stored than the client got, and the replay then cuts the connection like the recorder did.
    assert.deepEqual(result.slice(0, got.length - 1), got.slice(0, -1));
    assert.equal(result.at(-1), 'close 1006 ');
  },
  async 'show, the journal, and a HAR have the messages, and an import of the HAR replays them'() {
    const server = await plain(numbered());
    const { cassette, result } = await recorded(server.url, visit);
    await server.close();
    assert.match(tapedeck('show', cassette, firstId(cassette)), /"data":"hello again"/);
    const journal = join(bench.folder, 'journal');
    await replayed(cassette, (url) => visit(url, 'Hello'), '--journal', journal);
    const line = JSON.parse(readFileSync(journal, 'utf8').trim());
    assert.deepEqual(line.messages, { sent: 2, received: 1, different: 1 });
    const har = join(bench.folder, 'socket.har'), imported = newCassette();
    writeFileSync(har, tapedeck('export', cassette, '--as', 'har'));
    const [entry] = JSON.parse(readFileSync(har, 'utf8')).log.entries;
    assert.deepEqual(entry._webSocketMessages.map(({ type, opcode, data }) => [type, opcode, data]), [
      ['receive', 1, 'connection 1'], ['send', 1, 'hello'], ['receive', 1, 'hello again'], ['send', 8, ''],
    ]);
    tapedeck('import', har, '-o', imported);
    assert.deepEqual((await replayed(imported, visit, '--strict')).result, result);
  },
  async 'what clients have sent when the recorder ends is in the recording'() {
    const server = await plain(() => {});
    const cassette = newCassette(), recorder = await bench.server('record', cassette, '--device', server.url);
    const clients = Array.from({ length: 20 }, () => new WebSocket(recorder.url.replace('http', 'ws') + '/last', { perMessageDeflate: false }));
    await Promise.all(clients.map((client) => once(client, 'open')));
    for (const client of clients) {
      client.send('last words');
      client.close(1000);
    }
    assert.equal(await bench.stop(recorder), 0, recorder.said);
    await server.close();
    const messages = tapedeck('ls', cassette, '--json').match(/[0-9a-f]{16}(?=")/g).map((id) => tapedeck('show', cassette, id));
    assert.equal(messages.length, clients.length);
    for (const text of messages) assert.match(text, /"last words"[^]*"type":"close","code":1000/);
  },
  async 'the page shows the messages of a connection, and finds one'() {
    const server = await plain(sessions);
    const { cassette } = await recorded(server.url, enter);
    await server.close();
    const replay = await bench.server('replay', '--page', cassette);
    const { session } = await enter(replay.url);
    const page = await browser.newPage();
    await page.goto(replay.values.page);
    await page.locator('.sheet .row', { hasText: 'ss_webstream_task' }).click();
    await page.getByRole('tab', { name: 'Messages' }).click();
    const rows = page.locator('.messages li');
    await rows.nth(3).waitFor();
    const texts = await rows.allTextContents();
    assert.match(texts[0], /^1↓ device.*\{"session":"‹.*SESSION_ID.*›","user":"ann"\}/);
    assert.match(texts[1], /^2↑ client/);
    assert.match(texts[3], /closed with 1000: enough/);
    assert.ok(!(await page.locator('main').textContent()).includes(session));
    await rows.first().locator('summary').click();
    await rows.first().getByRole('treeitem').first().waitFor();
    await page.getByLabel('Find in the messages').fill('welcome');
    assert.deepEqual(await rows.locator('visible=true').locator('code').allTextContents(), ['welcome']);
    await page.close();
    await bench.stop(replay);
  },
  ...Object.fromEntries([2, 4].map((version) => [
    `socket.io ${version} over WebSocket: heartbeats, two clients at once, and a connection beyond the last one`,
    async () => {
      const server = await socketIo(version);
      const use = (url) => converse(version, url, ['websocket']);
      const expected = (n) => [{ connection: n }, `name ${n}`, 'io client disconnect'];
      const { cassette, result } = await recorded(server.url, async (url) => [await use(url), await use(url)]);
      await server.close();
      assert.deepEqual(result, [expected(1), expected(2)]);
      const { result: again, status, said } = await replayed(
        cassette, async (url) => [...await Promise.all([use(url), use(url)]), await use(url)], '--strict=messages,miss');
      assert.deepEqual(again.slice(0, 2).sort((a, b) => a[0].connection - b[0].connection), [expected(1), expected(2)], said);
      assert.deepEqual(again[2], expected(2), said);
      assert.equal(status, 0, said);
    },
  ])),
  ...Object.fromEntries([2, 4].flatMap((version) => [['polling', 'websocket'], ['polling']].map((transports) => [
    `socket.io ${version} over ${transports.join(', then ')}: each connection has its own polls, without needless requests`,
    async () => {
      const server = await socketIo(version);
      const use = (url) => converse(version, url, transports);
      const expected = (n) => [{ connection: n }, `name ${n}`, 'io client disconnect'];
      const { cassette, result } = await recorded(server.url, async (url) => [await use(url), await use(url)]);
      await server.close();
      assert.deepEqual(result, [expected(1), expected(2)]);
      const journal = join(bench.folder, `journal-${++count}`);
      const { result: again, said } = await replayed(
        cassette, async (url) => [...await Promise.all([use(url), use(url)]), await use(url)], '--journal', journal);
      assert.deepEqual(again.slice(0, 2).sort((a, b) => a[0].connection - b[0].connection), [expected(1), expected(2)], said);
      assert.deepEqual(again[2], expected(2), said);
      const requests = readFileSync(journal, 'utf8').trim().split('\n').length;
      assert.ok(requests <= 3 * 15, `${requests} requests`);
    },
  ]))),
  ...Object.fromEntries([2, 4].map((version) => [
    `a page with socket.io ${version} in a browser, loaded, left alone, and loaded again`,
    async () => {
      const server = await socketIo(version, (socket) => {
        let ticks = 0, timer;
        socket.on('start', () => { timer = setInterval(() => socket.emit('tick', ++ticks), 300); });
        socket.on('disconnect', () => clearInterval(timer));
      });
      // Leaves once the page has seen some events, by which it is connected over WebSocket.
      const browse = async (url) => {
        const page = await browser.newPage();
        const seen = [];
        for (let load = 0; load < 2; ++load) {
          await page.goto(`${url}/page-${version}`);
          await page.waitForFunction(() => window.seen.length > 5, null, { timeout: patience });
          seen.push(await page.evaluate(() => window.seen.slice(0, 5)));
        }
        await page.close();
        return seen;
      };
      const { cassette, result } = await recorded(server.url, browse);
      await server.close();
      const expected = (n) => [`hello ${n}`, 'tick 1', 'tick 2', 'tick 3', 'tick 4'];
      assert.deepEqual(result, [expected(1), expected(2)]);
      const journal = join(bench.folder, `journal-${++count}`);
      const idle = 5000;
      const { result: again, said } = await replayed(cassette, async (url) => {
        const seen = await browse(url);
        const page = await browser.newPage();
        await page.goto(`${url}/page-${version}`);
        await page.waitForFunction(() => window.seen.length > 4, null, { timeout: patience });
        await new Promise((wake) => setTimeout(wake, idle));
        const state = await page.evaluate(() => ({ seen: window.seen.slice(0, 5), disconnects: window.disconnects }));
        await page.close();
        return [...seen, state];
      }, '--delay', 'recorded', '--journal', journal);
      assert.deepEqual(again, [expected(1), expected(2), { seen: expected(2), disconnects: 0 }], said);
      const lines = readFileSync(journal, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
      const polls = lines.filter((line) => /socket\.io.*polling/.test(line.key)).length;
      assert.ok(polls <= 3 * 6 + idle / 1000, `${polls} polls`);
      assert.equal(lines.filter((line) => line.outcome === 'miss').length, 0, said);
    },
  ])),
};

await run(bench, { ...steps, 'the browser ends': () => browser.close() });
