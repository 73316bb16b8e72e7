// Tests the npm packages as users install them: packed, installed into a fresh project, and used there by node:test,
// Vitest, Playwright, and Vite.
//   node npm.mjs TAPEDECK DEVICE [WORD…] (the tests' device is not used)
// With WORDs, runs only the packing and the steps whose names contain one of them.

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
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
/** Does the same as `work` without blocking this process, which is the device. */
function spawnAsync(command, args, env, cwd = project) {
  const child = spawn(command, args, { cwd, env });
  const ran = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => { ran[name] += text; });
  return new Promise((resolve) => child.once('close', (status) => resolve({ ...ran, status })));
}
const runners = {
  'node:test': { file: 'suite.test.js', cassette: 'node.cassette', arguments: (...more) => ['--test', '--test-reporter=tap', ...more, 'suite.test.js'], only: '--test-name-pattern',
    head: "import { tapedeckTest } from '@tapedeck/tapedeck/node'; const test = tapedeckTest(options);", takes: 'tape' },
  'Vitest in threads': { file: 'threads.test.js', cassette: 'threads.cassette', arguments: (...more) => ['node_modules/vitest/vitest.mjs', 'run', '--pool=threads', 'threads.test.js', '--config', 'suite.config.js', ...more], only: '-t',
    head: "import { tapedeckTest } from '@tapedeck/tapedeck/vitest'; const test = tapedeckTest(options);", takes: '{ tape }' },
  'Vitest in processes': { file: 'forks.test.js', cassette: 'forks.cassette', arguments: (...more) => ['node_modules/vitest/vitest.mjs', 'run', '--pool=forks', 'forks.test.js', '--config', 'suite.config.js', ...more], only: '-t',
    head: "import { tapedeckTest } from '@tapedeck/tapedeck/vitest'; const test = tapedeckTest(options);", takes: '{ tape }' },
  Playwright: { file: 'suite.spec.js', cassette: 'playwright.cassette', arguments: (...more) => ['node_modules/@playwright/test/cli.js', 'test', '--config', 'suite.playwright.config.js', ...more], only: '--grep',
    head: "import { test } from '@tapedeck/tapedeck/playwright'; test.use({ tapedeck: options });", takes: '{ tape }' },
};

/** A suite of two tests. */
const suiteOf = ({ cassette, head, takes }) => `
  import { ask } from './nas.js';
  const { RECORD, DEVICE, ACCOUNT, PASSWORD } = process.env;
  const options = { cassette: '${cassette}', record: RECORD, device: DEVICE };
  ${head}
  for (const [name, times] of [['first', [0, 5]], ['second', [10, 15]]]) {
    test(name, async (${takes}) => {
      const { sid } = await ask(tape.url, 'SVC.API.Auth', 7, 'login', { account: ACCOUNT, passwd: PASSWORD, format: 'sid' });
      for (const time of times) {
        const seen = (await ask(tape.url, 'SVC.Core.System.Utilization', 1, 'get', { _sid: sid })).time - 1760000000;
        if (seen !== time) throw new Error(seen + ' is not ' + time);
      }
    });
  }`;

const passes = (ran) => assert.equal(ran.status, 0, ran.stdout + ran.stderr);

/** The block of a failing test's output, as all runners must show it. */
function showsMiss(ran, scope, runner) {
  assert.equal(ran.status, 1, ran.stdout + ran.stderr);
  const lines = ran.stdout.split('\n');
  const begin = lines.findIndex((line) => line.trimStart().startsWith('Tapedeck: '));
  const indent = lines[begin].length - lines[begin].trimStart().length;
  const golden = [
    `Tapedeck: 2 requests in the scope "${scope} > a share that was never asked for", 1 miss`,
    'problems:',
    '  miss     200 code 100 SVC.Core.Share/1/get?name=nobody',
    '      `name` differs',
    `      record this test: npx tapedeck exec --mode new --device URL nas.cassette -- ${runner}`,
    'last requests:',
    '  recorded 200 SVC.Core.Network/1/get',
    '  miss     200 code 100 SVC.Core.Share/1/get?name=nobody',
  ];
  assert.deepEqual(lines.slice(begin, begin + golden.length).map((line) => line.slice(indent)), golden);
}

const steps = {
  'they are packed, and installed into a fresh project': async () => {
    const sources = join(bench.folder, 'packages');
    cpSync(packages, sources, { recursive: true, filter: (path) => !path.includes('node_modules') });
    const programs = join(sources, `tapedeck/programs/${process.platform}-${process.arch}`);
    mkdirSync(programs, { recursive: true });
    execFileSync('strip', ['-o', join(programs, 'tapedeck'), bench.program]);
    cpSync(join(sources, 'examples'), project, { recursive: true });
    writeFileSync(join(project, 'suite.config.js'), "export default { test: { include: ['threads.test.js', 'forks.test.js'], testTimeout: 30000 } };");
    writeFileSync(join(project, 'suite.playwright.config.js'), "export default { testMatch: 'suite.spec.js', workers: 1, reporter: 'line' };");
    execFileSync('cp', ['-a', join(packages, 'examples/node_modules'), join(project, 'node_modules')]);
    const packed = execFileSync('npm', ['pack', '--json', join(sources, 'tapedeck')], { cwd: project, env: home, encoding: 'utf8' });
    const file = `./${JSON.parse(packed)[0].filename}`;
    // Installing the file asks a registry for no name: this one records what it is asked for.
    const registry = createServer((request, response) => { asked.push(request.url); response.writeHead(404).end('{}'); });
    const asked = [];
    registry.listen(0, '127.0.0.1');
    await once(registry, 'listening');
    const elsewhere = join(bench.folder, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'package.json'), '{"private":true}');
    passes(await spawnAsync('npm', ['install', '--save-dev', '--no-audit', '--no-fund', `--registry=http://127.0.0.1:${registry.address().port}`,
      join(project, file)], { ...home, npm_config_cache: join(bench.folder, 'cache'), npm_config_update_notifier: 'false' }, elsewhere));
    registry.close();
    assert.deepEqual(asked, []);
    passes(work('npm', 'install', '--offline', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', file));
    assert.ok(existsSync(join(project, 'node_modules/@tapedeck/tapedeck/index.d.ts')));
    const version = spawnSync(bench.program, ['--version'], { encoding: 'utf8' }).stdout;
    const installed = process.env.TAPEDECK_LONG ? ['npx', '--no-install', 'tapedeck'] : ['node_modules/.bin/tapedeck'];
    assert.equal(work(...installed, '--version').stdout, version);
    assert.equal(work(...installed, 'no-command').status, 2);
    passes(work(...installed, 'demo', '--keep', 'nas.cassette'));
  },
  'node:test': () => passes(work(process.execPath, '--test', 'node.test.js')),
  'Vitest, in random order, in parallel and tried again': () => passes(npx('node_modules/vitest/vitest.mjs', 'run')),
  'Playwright, with two workers': () => passes(npx('node_modules/@playwright/test/cli.js', 'test')),
  'a failing test shows its misses and last requests': () => {
    showsMiss(work(process.execPath, '--test', '--test-reporter=tap', 'failing/node.test.js'), 'failing/node.test.js', "node --test '--test-name-pattern=^a share that was never asked for$' failing/node.test.js");
    showsMiss(npx('node_modules/@playwright/test/cli.js', 'test', '--config', 'failing/playwright.config.js'), 'failing/page.spec.js', "npx playwright test 'failing/page\\.spec\\.js' -g ' a share that was never asked for( @|$)'");
    showsMiss(npx('node_modules/vitest/vitest.mjs', 'run', '--config', 'failing/vitest.config.js'), 'failing/vitest.test.js', "npx vitest run failing/vitest.test.js -t '^a share that was never asked for$'");
  },
  'under exec the tests use its server': () => {
    const ran = work(bench.program, 'exec', 'nas.cassette', '--', process.execPath, '--test', 'node.test.js');
    passes(ran);
    assert.match(ran.stdout + ran.stderr, /replayed [1-9]/);
  },
  "under exec Playwright's tests use its cassette and serve their own files, and one worker says so": () => {
    renameSync(join(project, 'nas.cassette'), join(project, 'other.cassette'));
    const ran = work(bench.program, 'exec', 'other.cassette', '--', process.execPath, 'node_modules/@playwright/test/cli.js', 'test');
    renameSync(join(project, 'other.cassette'), join(project, 'nas.cassette'));
    passes(ran);
    assert.equal((ran.stdout + ran.stderr).match(/ignoring nas\.cassette: `tapedeck exec` uses its own cassettes/g)?.length, 1, ran.stdout + ran.stderr);
  },
  ...Object.fromEntries(Object.entries(runners).map(([name, runner]) => [`${name} records a suite with a scope for each test, and replays each by itself`, async () => {
    const device = await startDevice();
    writeFileSync(join(project, runner.file), suiteOf(runner));
    const suite = (mode, only) => spawnAsync(process.execPath, runner.arguments(...(only ? [`${runner.only}=${only}`] : [])),
      { ...home, RECORD: mode, DEVICE: device.url, ACCOUNT: described.account.name, PASSWORD: described.account.password });
    passes(await suite('all'));
    // The recording is finished when the runner ends, so another run may begin immediately.
    passes(await suite('new'));
    await device.close();
    for (const only of [undefined, 'second']) passes(await suite('none', only));
    const scopes = JSON.parse(execFileSync(bench.program, ['ls', '--scopes', '--json', runner.cassette], { cwd: project, env: home }));
    assert.deepEqual(scopes.map(({ scope, complete }) => [scope, complete]), ['first', 'second'].map((test) => [`${runner.file} > ${test}`, true]));
  }])),
  'Playwright names scopes after the file from the package, and says what `webServer` lacks without exec': async () => {
    mkdirSync(join(project, 'e2e/deep'), { recursive: true });
    writeFileSync(join(project, 'e2e/deep/named.spec.js'), `
      import { test } from '@tapedeck/tapedeck/playwright';
      test.describe('group', () => test('named', async ({ tape }) => { console.log('scope ' + tape.scope); }));
      test('fails', async ({ tape }) => { throw new Error('made-up ' + tape.run); });`);
    writeFileSync(join(project, 'named.playwright.config.js'), `
      import { defineConfig } from '@tapedeck/tapedeck/playwright';
      export default defineConfig({ testDir: 'e2e/deep', reporter: 'line', use: { tapedeck: { cassette: 'nas.cassette' } },
        webServer: { command: 'node -e "setInterval(() => {}, 1000); console.log(1)"', wait: { stdout: /1/ } } });`);
    const ran = npx('node_modules/@playwright/test/cli.js', 'test', '--config', 'named.playwright.config.js');
    assert.equal(ran.status, 1, ran.stdout);
    const text = ran.stdout + ran.stderr;
    assert.match(text, /scope e2e\/deep\/named\.spec\.js > group > named/);
    assert.match(text, /hint: the test sent no request to its server.*run `tapedeck exec CASSETTE -- npx playwright test`/);
    const under = work(bench.program, 'exec', 'nas.cassette', '--', process.execPath, 'node_modules/@playwright/test/cli.js', 'test', '--config', 'named.playwright.config.js');
    assert.doesNotMatch(under.stdout + under.stderr, /sent no request to its server/);
  },
  'node:test: skip, only and todo, and names that do not depend on the folder': () => {
    const elsewhere = spawnSync(process.execPath, ['--test', '--test-reporter=tap', join(project, 'node.test.js')], { cwd: bench.folder, env: home, encoding: 'utf8' });
    assert.equal(elsewhere.status, 1); // its cassette is not there: the options' paths are as seen from where it was started
    writeFileSync(join(project, 'kinds.test.js'), `
      import { tapedeckTest } from '@tapedeck/tapedeck/node';
      const test = tapedeckTest({ cassette: ${JSON.stringify(join(project, 'nas.cassette'))} });
      test('runs', (tape) => { console.log('scope ' + tape.scope); });
      test.skip('is skipped', () => { throw new Error('it runs'); });
      test.todo('is to be done', () => { throw new Error('not yet'); });
      test.todo('has no body');`);
    const ran = spawnSync(process.execPath, ['--test', '--test-reporter=tap', join(project, 'kinds.test.js')], { cwd: bench.folder, env: home, encoding: 'utf8' });
    passes(ran);
    for (const line of ['# pass 1', '# skipped 1', '# todo 2', '# fail 0', 'scope kinds.test.js > runs']) assert.ok(ran.stdout.includes(line), ran.stdout);
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
    assert.match(ran.stderr, new RegExp(`this package contains none for ${process.platform}-${process.arch}`));
    const launched = spawnSync(process.execPath, [join(folder, 'tapedeck/bin/tapedeck.js')], { env: home, encoding: 'utf8' });
    assert.equal(launched.status, 1);
    assert.match(launched.stderr, /^tapedeck: cannot find the tapedeck program/);
    rmSync(join(bench.folder, 'bare'), { recursive: true });
  },
  'of two overlays for one call the later one answers': () => {
    const ran = work(process.execPath, '--input-type=module', '-e', `
      import { start } from '@tapedeck/tapedeck';
      const tape = await start({ cassette: 'nas.cassette' });
      for (const error of [117, 105]) await tape.overlay({ call: 'Core.Share/1/list', error });
      console.log(await (await fetch(tape.url + '/webapi/entry.cgi?api=SVC.Core.Share&version=1&method=list')).text());
      await tape.stop();`);
    passes(ran);
    assert.match(ran.stdout, /"code":105/);
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
};
const words = ['they are packed', ...process.argv.slice(4)];
const isWanted = ([name]) => words.length === 1 || words.some((word) => name.includes(word));
await run(bench, Object.fromEntries(Object.entries(steps).filter(isWanted)));
