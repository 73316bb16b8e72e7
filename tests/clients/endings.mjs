// Ends test runners in every way while they record: by signals, by a crash of the worker, of the recorder, and of all
// processes at once, as when the machine fails. The interrupted test must not count as recorded.
//   node endings.mjs TAPEDECK DEVICE [WORD…] (the tests' device is not used)
// With WORDs, runs only the cases whose names contain one of them.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startDevice } from '../../examples/nas/device.mjs';
import { requireRunners, RunnerProject } from './runner_project.mjs';
import { Bench, run } from './support.mjs';

requireRunners();
const suites = {
  'nas.js': `
    import { writeFileSync } from 'node:fs';
    const { ACCOUNT, PASSWORD, MARK, CRASH, RECORD, DEVICE } = process.env;
    export const options = RECORD === 'exec' ? {} : { cassette: 'suite.cassette', record: RECORD, device: DEVICE };
    const ask = async (base, query) => (await fetch(base + '/webapi/entry.cgi?' + new URLSearchParams(query))).json();
    export async function runs(name, tape) {
      const { data: { sid } } = await ask(tape.url, { api: 'SVC.API.Auth', version: 7, method: 'login', account: ACCOUNT, passwd: PASSWORD, format: 'sid' });
      const utilization = { api: 'SVC.Core.System.Utilization', version: 1, method: 'get', _sid: sid };
      if (!(await ask(tape.url, utilization)).success) throw new Error('not recorded');
      if (MARK && name === 'second') {
        writeFileSync(MARK, process.pid + ' ' + tape.serverUrl);
        if (CRASH) process.exit(1);
        await new Promise((wake) => setTimeout(wake, 25_000));
      }
      if (!(await ask(tape.url, utilization)).success) throw new Error('not recorded');
    }`,
  'package.json': '{ "type": "module" }',
  'node.test.js': `
    import { tapedeckTest } from '@tapedeck/tapedeck/node';
    import { options, runs } from './nas.js';
    const test = tapedeckTest(options);
    for (const name of ['first', 'second', 'third']) test(name, (tape) => runs(name, tape));`,
  'vitest.test.js': `
    import { tapedeckTest } from '@tapedeck/tapedeck/vitest';
    import { options, runs } from './nas.js';
    const test = tapedeckTest(options);
    for (const name of ['first', 'second', 'third']) test(name, ({ tape }) => runs(name, tape));`,
  'vitest.config.js': "export default { test: { include: ['vitest.test.js'], testTimeout: 90_000, pool: 'forks' } };",
  'playwright.spec.js': `
    import { test } from '@tapedeck/tapedeck/playwright';
    import { options, runs } from './nas.js';
    test.use({ tapedeck: options });
    for (const name of ['first', 'second', 'third']) test(name, ({ tape }) => runs(name, tape));`,
  'playwright.config.js': "export default { testMatch: 'playwright.spec.js', workers: 1, reporter: 'line', timeout: 90_000 };",
  'pytest.ini': '[pytest]',
  'test_nas.py': `
import json, os, time
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener

import pytest

opener = build_opener(ProxyHandler({}))

def ask(base, **query):
    return json.load(opener.open(base + "/webapi/entry.cgi?" + urlencode(query), timeout=30))

@pytest.mark.parametrize("name", ["first", "second", "third"])
def test(name, tape):
    sid = ask(tape.url, api="SVC.API.Auth", version=7, method="login", account=os.environ["ACCOUNT"],
              passwd=os.environ["PASSWORD"], format="sid")["data"]["sid"]
    utilization = dict(api="SVC.Core.System.Utilization", version=1, method="get", _sid=sid)
    assert ask(tape.url, **utilization)["success"]
    if "MARK" in os.environ and name == "second":
        open(os.environ["MARK"], "w").write(f"{os.getpid()} {tape.server_url}")
        if "CRASH" in os.environ:
            os._exit(1)
        time.sleep(25)
    assert ask(tape.url, **utilization)["success"]
`,
};
const bench = new Bench(process.argv[2], process.argv[3]);
const made = new RunnerProject(bench, suites);
const project = made.folder, cassette = join(project, 'suite.cassette'), mark = join(project, 'mark');
const pytest = [...made.pytest, 'test_nas.py'];
const recorded = (mode, url) => ['--tapedeck-cassette', cassette, `--tapedeck=${mode}`, ...(mode === 'none' ? [] : ['--tapedeck-device', url])];
const js = (...command) => () => [process.execPath, ...command];
const exec = (mode, url, command) => [bench.program, 'exec', ...(mode === 'none' ? [] : ['--mode', mode, '--device', url]), cassette, '--', ...command];
const vitest = js('node_modules/vitest/vitest.mjs', 'run');
/** Command lines by mode and URL of the device. `scopes` are the tests' names. */
const runners = {
  pytest: { command: (mode, url) => [...pytest, ...recorded(mode, url)], scope: (name) => `test_nas.py::test[${name}]` },
  'pytest -n 2': { command: (mode, url) => [...pytest, '-n', '2', ...recorded(mode, url)], scope: (name) => `test_nas.py::test[${name}]` },
  'exec with pytest': { isExec: true, command: (mode, url) => exec(mode, url, pytest), scope: (name) => `test_nas.py::test[${name}]` },
  'node:test': { command: js('--test', 'node.test.js'), scope: (name) => `node.test.js > ${name}` },
  // Vitest 3 leaves its worker behind if it is ended by a signal, also without Tapedeck.
  Vitest: { command: vitest, leavesWorker: true, scope: (name) => `vitest.test.js > ${name}` },
  'exec with Vitest': { isExec: true, command: (mode, url) => exec(mode, url, vitest()), scope: (name) => `vitest.test.js > ${name}` },
  Playwright: { command: js('node_modules/@playwright/test/cli.js', 'test'), scope: (name) => `playwright.spec.js > ${name}` },
};

async function until(condition, what) {
  for (let looks = 0; looks < 2400; ++looks) {
    if (await condition()) return;
    await new Promise((wake) => setTimeout(wake, 25));
  }
  assert.fail(`${what} did not come`);
}

/** The processes whose working directory is the project, and which are the program if `isProgram`. */
function processes(isProgram) {
  const link = (pid, name) => {
    try {
      return readlinkSync(`/proc/${pid}/${name}`);
    } catch {
      return '';
    }
  };
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && link(name, 'cwd') === project);
  return all.map(Number).filter((pid) => !isProgram || link(pid, 'exe') === bench.program);
}
const kill = (pids, signal) => pids.forEach((pid) => {
  try {
    process.kill(pid, signal);
  } catch { /* it has ended */ }
});

/** Ways to end a run. A terminal sends its signals to the whole process group. */
const ways = {
  'Ctrl-C': { end: (child) => process.kill(-child.pid, 'SIGINT') },
  'a closed terminal': { end: (child) => process.kill(-child.pid, 'SIGHUP') },
  SIGTERM: { end: (child) => child.kill('SIGTERM') },
  SIGKILL: { end: (child) => child.kill('SIGKILL') },
  'a killed worker': { end: () => kill([Number(readFileSync(mark, 'utf8').split(' ')[0])], 'SIGKILL') },
  'a crash of the test': { crash: true, end: () => {} },
  'a crash of the recorder': { killsRecorder: true, end: () => kill(processes(true), 'SIGKILL') },
  'a crash of everything': { killsRecorder: true, end: () => kill(processes(false), 'SIGKILL') },
};

async function ends({ command, scope, isExec, leavesWorker }, { end, crash, killsRecorder }) {
  for (const name of readdirSync(project)) if (name.startsWith('suite.cassette') || name === 'mark') rmSync(join(project, name));
  const device = await startDevice();
  const start = (mode, more) =>
    made.start(command(mode, device.url), { DEVICE: device.url, RECORD: isExec ? 'exec' : mode, ...more });
  const finish = async (mode) => {
    const child = start(mode, {});
    const status = await child.ended;
    // What a killed recorder had stored stays unverified, which fails each recording run until it is scrubbed.
    assert.ok(status === 0 || (mode === 'new' && killsRecorder && child.said.includes('UNVERIFIED')), child.said);
  };
  const scopes = () => {
    // A recording that exec did not finish is no cassette.
    if (!existsSync(cassette) && (isExec || !existsSync(`${cassette}.recording`))) return {};
    const listed = JSON.parse(execFileSync(bench.program, ['ls', '--scopes', '--json', cassette], { env: made.env, stdio: ['ignore', 'pipe', 'ignore'] }));
    return Object.fromEntries(listed.map((one) => [one.scope, one.complete]));
  };
  try {
    const child = start('all', { MARK: mark, ...(crash ? { CRASH: '1' } : {}) });
    await until(() => existsSync(mark) && readFileSync(mark, 'utf8').includes('http'), `the second test (${child.said})`);
    end(child);
    // A runner that lost its worker or the recorder goes on with the third test, or waits.
    const waits = setTimeout(() => kill(processes(false), 'SIGKILL'), 15_000);
    await child.ended;
    clearTimeout(waits);
    await until(() => processes(Boolean(leavesWorker)).length === 0, 'the end of all processes');
    kill(processes(false), 'SIGKILL');
    const interrupted = scopes();
    assert.notEqual(interrupted[scope('second')], true, `stored as complete: ${JSON.stringify(interrupted)}\n${child.said}`);
    assert.ok(!child.said.includes('INTERNALERROR') && child.said.split('\n').length < 80, child.said);
    await finish('new');
    assert.deepEqual(scopes(), Object.fromEntries(['first', 'second', 'third'].map((name) => [scope(name), true])));
  } finally {
    kill(processes(false), 'SIGKILL');
    await device.close();
  }
  await finish('none');
}

const cases = Object.entries(runners).flatMap(([runner, how]) =>
  Object.entries(ways).map(([way, ending]) => [`${runner}, ${way}`, () => ends(how, ending)]));
const words = process.argv.slice(4);
await run(bench, Object.fromEntries(cases.filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)))));
