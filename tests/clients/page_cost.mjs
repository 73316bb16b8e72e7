// What the page costs a server: processor time a request without it, with --ui and nobody looking, and with a page open;
// medians of nine pairs. To be run by hand, on a machine that does nothing else.
//   node page_cost.mjs TAPEDECK TEST_DEVICE [REQUESTS]

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

import { rows, World } from './page/world.mjs';

const requests = Number(process.argv[4] ?? 20_000);
const rounds = 9;

/** Seconds that the process has used; the kernel counts hundredths. */
function used(child) {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** All requests on one connection, a hundred at a time. */
async function ask(url) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const request = `GET /webapi/entry.cgi?api=SVC.Core.System.Status&version=1&method=get&_sid=cost HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`;
  let answers = 0;
  let rest = '';
  for (let sent = 0; sent < requests; sent += 100) {
    socket.write(request.repeat(100));
    while (answers < sent + 100) {
      const text = rest + (await once(socket, 'data'))[0].toString('latin1');
      answers += text.split('HTTP/1.1 200').length - 1;
      rest = text.slice(-11);
    }
  }
  socket.destroy();
}

const world = await World.start(process.argv[2], process.argv[3]);

async function cost(looked, ...options) {
  const server = await world.bench.server('replay', ...options, world.cassette);
  const page = looked ? await world.open(server.values.ui) : null;
  await ask(server.url); // warm
  if (page) await rows(page).first().waitFor();
  const before = used(server);
  await ask(server.url);
  const time = used(server) - before;
  await page?.context().close();
  await world.bench.stop(server);
  return (time / requests) * 1e6;
}

const kinds = { 'no control port': [false], '--control': [false, '--control', '127.0.0.1:0'], '--ui, nobody looks': [false, '--ui'], '--ui, a page open': [true, '--ui'] };
const times = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]));
for (let i = 0; i < rounds; ++i) {
  for (const [name, [looked, ...options]] of Object.entries(kinds)) times[name].push(await cost(looked, ...options));
}
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
for (const [name, list] of Object.entries(times)) {
  const ratios = list.map((time, i) => time / times['--control'][i] - 1);
  console.log(`${name}: ${median(list).toFixed(1)} µs a request, ${(100 * median(ratios)).toFixed(1)} % more than --control (median of ${rounds} pairs)`);
}
await world.browser.close();
await world.bench.close();
process.exit(0);
