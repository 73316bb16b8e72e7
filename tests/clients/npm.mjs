// The npm packages as people get them: packed, installed into a fresh project, used there by node:test, Vitest, Playwright
// and Vite.
//   node npm.mjs TAPEDECK DEVICE (the tests' device is not used)

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { described, startDevice } from '../../examples/nas/device.mjs';
import { Bench, chromium, environment, run } from './support.mjs';

const packages = new URL('../../integrations/npm/', import.meta.url).pathname;
if (!existsSync(chromium.executablePath) || !existsSync(join(packages, 'examples/node_modules/vitest'))) {
  console.log('skipped: Chromium or the packages of integrations/npm/examples are not there (script/bootstrap test, script/test)');
  process.exit(77);
}

const bench = new Bench(process.argv[2], process.argv[3]);
const project = join(bench.folder, 'project');
const home = { ...environment(bench.folder), HOME: bench.folder, CI: '', NO_COLOR: '1', FORCE_COLOR: '0' };
const work = (command, ...args) => spawnSync(command, args, { cwd: project, env: home, encoding: 'utf8', timeout: 120_000 });
const npx = (tool, ...args) => work(process.execPath, join(project, tool), ...args);
/** As `work`, while this process goes on: it is the device. */
function spawnAsync(command, args, env) {
  const child = spawn(command, args, { cwd: project, env });
  const ran = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => { ran[name] += text; });
  return new Promise((resolve) => child.once('close', (status) => resolve({ ...ran, status })));
}
const passes = (ran) => assert.equal(ran.status, 0, ran.stdout + ran.stderr);

/** The block of a failing test's output, as all runners must show it. */
function showsMiss(ran, scope) {
  assert.equal(ran.status, 1, ran.stdout + ran.stderr);
  const lines = ran.stdout.split('\n');
  const begin = lines.findIndex((line) => line.trimStart().startsWith('Tapedeck: '));
  const indent = lines[begin].length - lines[begin].trimStart().length;
  const golden = [
    `Tapedeck: 2 requests in the scope "${scope} > a share that was never asked for", 1 miss`,
    'misses:',
    '  miss     200 code 100 SVC.Core.Share/1/get?name=nobody',
    '      recorded only with other parameters or in another version',
    'last requests:',
    '  recorded 200 SVC.Core.Network/1/get',
    '  miss     200 code 100 SVC.Core.Share/1/get?name=nobody',
    '      recorded only with other parameters or in another version',
  ];
  assert.deepEqual(lines.slice(begin, begin + golden.length).map((line) => line.slice(indent)), golden);
}

await run(bench, {
  'they are packed, and installed into a fresh project': () => {
    const sources = join(bench.folder, 'packages');
    cpSync(packages, sources, { recursive: true, filter: (path) => !path.includes('node_modules') });
    mkdirSync(join(sources, 'linux-x64/bin'), { recursive: true });
    execFileSync('strip', ['-o', join(sources, 'linux-x64/bin/tapedeck'), bench.program]);
    cpSync(join(sources, 'examples'), project, { recursive: true });
    execFileSync('cp', ['-a', join(packages, 'examples/node_modules'), join(project, 'node_modules')]);
    const made = ['linux-x64', 'tapedeck'].map((name) => {
      const packed = execFileSync('npm', ['pack', '--json', join(sources, name)], { cwd: project, env: home, encoding: 'utf8' });
      return `./${JSON.parse(packed)[0].filename}`;
    });
    passes(work('npm', 'install', '--offline', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', ...made));
    assert.ok(existsSync(join(project, 'node_modules/@tapedeck/linux-x64/bin/tapedeck')));
    assert.ok(existsSync(join(project, 'node_modules/@tapedeck/tapedeck/index.d.ts')));
    const made2 = spawnSync(process.execPath, [new URL('../../examples/nas/make.mjs', import.meta.url).pathname, bench.program,
      join(project, 'nas.cassette')], { env: environment(bench.folder), encoding: 'utf8' });
    assert.equal(made2.status, 0, made2.stderr);
  },
  'node:test': () => passes(work(process.execPath, '--test', 'node.test.js')),
  'Vitest, in random order, in parallel and tried again': () => passes(npx('node_modules/vitest/vitest.mjs', 'run')),
  'Playwright, with two workers': () => passes(npx('node_modules/@playwright/test/cli.js', 'test')),
  'a failing test shows its misses and last requests': () => {
    showsMiss(work(process.execPath, '--test', '--test-reporter=tap', 'failing/node.test.js'), 'failing/node.test.js');
    showsMiss(npx('node_modules/@playwright/test/cli.js', 'test', '--config', 'failing/playwright.config.js'), 'page.spec.js');
    showsMiss(npx('node_modules/vitest/vitest.mjs', 'run', '--config', 'failing/vitest.config.js'), 'failing/vitest.test.js');
  },
  'under exec the tests use its server': () => {
    const ran = work(bench.program, 'exec', 'nas.cassette', '--', process.execPath, '--test', 'node.test.js');
    passes(ran);
    assert.match(ran.stdout + ran.stderr, /recorded [1-9]/);
  },
  'a suite is recorded with a scope for each test, and each replayed by itself': async () => {
    const device = await startDevice();
    writeFileSync(join(project, 'suite.test.js'), `
      import assert from 'node:assert/strict';
      import { tapedeckTest } from '@tapedeck/tapedeck/node';
      import { ask } from './nas.js';
      const { RECORD, DEVICE, ACCOUNT, PASSWORD } = process.env;
      const test = tapedeckTest({ cassette: 'suite.cassette', record: RECORD, device: DEVICE });
      for (const [name, times] of [['first', [0, 5]], ['second', [10, 15]]]) {
        test(name, async (tape) => {
          const { sid } = await ask(tape.url, 'SVC.API.Auth', 7, 'login', { account: ACCOUNT, passwd: PASSWORD, format: 'sid' });
          const seen = [];
          for (const time of times) seen.push((await ask(tape.url, 'SVC.Core.System.Utilization', 1, 'get', { _sid: sid })).time - 1760000000);
          assert.deepEqual(seen, times);
        });
      }`);
    const suite = (mode, ...more) => spawnAsync(process.execPath, ['--test', '--test-reporter=tap', ...more, 'suite.test.js'],
      { ...home, RECORD: mode, DEVICE: device.url, ACCOUNT: described.account.name, PASSWORD: described.account.password });
    passes(await suite('all'));
    await device.close();
    for (const only of [[], ['--test-name-pattern=second']]) passes(await suite('none', ...only));
    const scopes = JSON.parse(execFileSync(bench.program, ['ls', '--scopes', '--json', 'suite.cassette'], { cwd: project, env: home }));
    assert.deepEqual(scopes.map(({ scope, complete }) => [scope, complete]), [['suite.test.js > first', true], ['suite.test.js > second', true]]);
  },
  "Vite's dev server answers /webapi from the recording, and ends it": async () => {
    const script = `
      import { createServer } from 'vite';
      const vite = await createServer({ logLevel: 'silent', server: { host: '127.0.0.1', port: 0 }, cacheDir: '${bench.folder}/vite' });
      await vite.listen();
      const base = 'http://127.0.0.1:' + vite.httpServer.address().port;
      const answer = await fetch(base + '/webapi/entry.cgi?api=SVC.Core.Network&version=1&method=get&_sid=x');
      console.log(answer.headers.get('x-tapedeck-outcome'), (await answer.json()).data.server_name);
      await vite.close();`;
    const ran = work(process.execPath, '--input-type=module', '-e', script);
    passes(ran);
    assert.match(ran.stdout, /^recorded attic/);
  },
  'without a program the error says what is missing': async () => {
    const folder = join(bench.folder, 'bare/node_modules/@tapedeck');
    cpSync(join(packages, 'tapedeck'), join(folder, 'tapedeck'), { recursive: true });
    const ran = spawnSync(process.execPath, ['--input-type=module', '-e', "import { start } from '@tapedeck/tapedeck'; await start();"],
      { cwd: join(bench.folder, 'bare'), env: { ...home, PATH: '/nowhere' }, encoding: 'utf8' });
    assert.match(ran.stderr, /the package @tapedeck\/linux-x64 is not installed/);
    rmSync(join(bench.folder, 'bare'), { recursive: true });
  },
  "a test's id becomes a scope of its own": async () => {
    const { scopeName } = await import(pathToFileURL(join(packages, 'tapedeck/lib/scope.js')));
    const hash = (id) => createHash('sha256').update(id).digest('hex').slice(0, 16);
    const long = 'ü'.repeat(501);
    for (const [id, name] of [['100 %; #1', '100 %; #1'], ['ü'.repeat(500), 'ü'.repeat(500)], [long, `${'ü'.repeat(180)}~${hash(long)}`],
      ['a\nb', `a b~${hash('a\nb')}`]]) assert.equal(scopeName(id), name);
  },
  'the program goes with its test, even when that is killed': async () => {
    const script = "import { start } from '@tapedeck/tapedeck'; const tape = await start({ cassette: 'nas.cassette' }); console.log(tape.url); setInterval(() => {}, 1000);";
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: project, env: home, stdio: ['ignore', 'pipe', 'inherit'] });
    const [url] = String(await new Promise((resolve) => child.stdout.once('data', resolve))).split('\n');
    child.kill('SIGKILL');
    let gone = false;
    for (let i = 0; i < 400 && !gone; ++i) {
      gone = await fetch(url).then(() => false, () => true);
      await new Promise((wake) => setTimeout(wake, 25));
    }
    assert.ok(gone);
    assert.ok(readdirSync(project).length > 0 && readFileSync(join(project, 'package.json'), 'utf8').length > 0);
  },
});
