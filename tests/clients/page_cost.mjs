// What the page costs a server: processor time a request without it, with --ui and nobody looking, and with a page open;
// medians of nine pairs. To be run by hand, on a machine that does nothing else.
//   node page_cost.mjs TAPEDECK TEST_DEVICE [REQUESTS]

import { readFileSync } from 'node:fs';

import { flood, rows, World } from './page/world.mjs';

const requests = Number(process.argv[4] ?? 20_000);
const rounds = 9;

/** Seconds that the process has used; the kernel counts hundredths. */
function used(child) {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const ask = (url) => flood(url, 'SVC.Core.System.Status', 'get', requests, 10_000);

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
