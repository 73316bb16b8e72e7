// Measures the cost of the page for a server: processor time per request without it, with --page and no viewer, and with a
// page open, as medians of nine pairs. Run it by hand on an idle machine.
//   node page_cost.mjs TAPEDECK TEST_DEVICE [REQUESTS]

import { readdirSync, readFileSync } from 'node:fs';

import { flood, rows, World } from './page/world.mjs';

const requests = Number(process.argv[4] ?? 40_000);
const rounds = 9;
const warming = 10_000; // requests before the first that counts
const rate = 10_000; // requests a second

/** Returns the processor seconds of the process's threads, which all run as long as the process. */
function used(child) {
  const threads = readdirSync(`/proc/${child.pid}/task`);
  return threads.reduce((sum, thread) => sum + Number(readFileSync(`/proc/${child.pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]), 0) / 1e9;
}

const ask = (url, count) => flood(url, 'SVC.Core.System.Status', 'get', count, rate);

const world = await World.start(process.argv[2], process.argv[3]);

async function cost(looked, ...options) {
  const server = await world.bench.server('replay', ...options, world.cassette);
  const page = looked ? await world.open(server.values.page) : null;
  await ask(server.url, warming);
  if (page) await rows(page).first().waitFor();
  const before = used(server);
  await ask(server.url, requests);
  const time = used(server) - before;
  await page?.context().close();
  await world.bench.stop(server);
  return (time / requests) * 1e6;
}

const kinds = { 'no control port': [false], '--control': [false, '--control', '127.0.0.1:0'], '--page, nobody looks': [false, '--page'], '--page, a page open': [true, '--page'] };
const times = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]));
for (let i = 0; i < rounds; ++i) {
  for (const [name, [looked, ...options]] of Object.entries(kinds)) times[name].push(await cost(looked, ...options));
  console.error(`round ${i + 1} of ${rounds}: ${Object.values(times).map((list) => list.at(-1).toFixed(2)).join(' ')} µs a request`);
}
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
for (const [name, list] of Object.entries(times)) {
  const ratios = list.map((time, i) => time / times['--control'][i] - 1);
  console.log(`${name}: ${median(list).toFixed(1)} µs a request, ${(100 * median(ratios)).toFixed(1)} % more than --control (median of ${rounds} pairs)`);
}
await world.browser.close();
await world.bench.close();
process.exit(0);
