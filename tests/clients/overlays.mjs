// Runs Playwright Test with four workers, one server, and one page: every test gets only the overlays of its own scope.
//   node overlays.mjs TAPEDECK TEST_DEVICE

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Bench, chromium, environment, run } from './support.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const runner = join(here, 'node_modules', '@playwright', 'test', 'cli.js');
for (const needed of [chromium.executablePath, runner]) {
  if (existsSync(needed)) continue;
  console.log(`skipped: ${needed} is not there (script/bootstrap test, npm ci in tests/clients)`);
  process.exit(77);
}

const bench = new Bench(process.argv[2], process.argv[3]);
const site = join(bench.folder, 'site');
mkdirSync(site);
writeFileSync(join(site, 'index.html'), `<!doctype html><title>volumes</title><p id="volume"></p><p id="network"></p><script type="module">
const ask = (api, version, method) => fetch(\`/webapi/entry.cgi?api=SYNO.\${api}&version=\${version}&method=\${method}\`);
const volumes = await ask('Core.Storage.Volume', 1, 'list');
const body = await volumes.json();
volume.textContent = body.success
  ? body.data.volumes.map((one) => one.status + ' ' + one.test).join()
  : 'no volumes: ' + volumes.headers.get('X-Tapedeck-Outcome');
network.textContent = (await ask('Core.Network', 1, 'get')).headers.get('X-Tapedeck-Overlay') ?? 'no overlay';
</script>`);

async function workers() {
  const server = await bench.server('replay', '--control', '127.0.0.1:0', '--serve', site, '--threads', '2');
  const child = spawn(process.execPath, [runner, 'test', '--config', join(here, 'workers', 'playwright.config.mjs')], {
    env: environment(bench.folder, {
      TAPEDECK_URL: server.url, TAPEDECK_CONTROL: server.values.control, TAPEDECK_TOKEN: server.values.token,
      TAPEDECK_OUTPUT: join(bench.folder, 'output'), HOME: bench.folder,
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (text) => (out += text));
  const [status] = await once(child, 'exit');
  assert.equal(status, 0, out);
  const { stats, suites } = JSON.parse(out);
  assert.deepEqual([stats.expected, stats.unexpected, stats.flaky], [8, 0, 0]);
  const indices = new Set(suites.flatMap((suite) => suite.specs).flatMap((spec) => spec.tests)
    .flatMap((test) => test.results).map((result) => result.workerIndex));
  assert.equal(indices.size, 4, `workers: ${[...indices]}`);
}

await run(bench, { 'four workers, each with overlays of its own scope': workers });
