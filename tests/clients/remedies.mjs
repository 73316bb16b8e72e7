// Runs the commands that the reports of failing tests print, exactly as printed, except for URL and COMMAND. The tests
// have odd names.
//   node remedies.mjs TAPEDECK DEVICE [WORD…] (the tests' device is not used)

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDevice } from '../../examples/nas/device.mjs';
import { requireRunners, RunnerProject } from './runner_project.mjs';
import { Bench, run } from './support.mjs';

requireRunners();

const names = ['plain', '100 %', '#1; done', `it's "quoted" $HOME \`x\``, 'Grüße, 世界', 'a=b', 'a * b', '[x] (y) {z} \\d+', '-v', 'n'.repeat(200)];
const calls = {
  js: `
    const { ACCOUNT, PASSWORD, MORE } = process.env;
    export const options = { cassette: 'nas.cassette' };
    const ask = async (base, query) => (await fetch(base + '/webapi/entry.cgi?' + new URLSearchParams(query))).json();
    export async function runs(tape) {
      const { data: { sid } } = await ask(tape.url, { api: 'SVC.API.Auth', version: 7, method: 'login', account: ACCOUNT, passwd: PASSWORD, format: 'sid' });
      for (const api of ['System.Status', ...(MORE ? [MORE] : [])]) {
        const { success } = await ask(tape.url, { api: 'SVC.Core.' + api, version: 1, method: 'get', _sid: sid });
        if (!success) throw new Error(api + ' was not recorded');
      }
    }
    export const names = ${JSON.stringify(names)}.map((name) => (process.env.SUFFIX ?? '') + name);`,
  python: `
import json, os
from urllib.parse import urlencode
from urllib.request import urlopen
import pytest

def ask(base, api, version, method, **query):
    return json.load(urlopen(base + "/webapi/entry.cgi?" + urlencode(dict(api="SVC." + api, version=version, method=method, **query)), timeout=30))

@pytest.mark.parametrize("name", json.loads(${JSON.stringify(JSON.stringify(names))}))
def test_${'{SUFFIX}'}(name, tape):
    login = ask(tape.url, "API.Auth", 7, "login", account=os.environ["ACCOUNT"], passwd=os.environ["PASSWORD"], format="sid")
    for api in ["System.Status"] + ([os.environ["MORE"]] if "MORE" in os.environ else []):
        assert ask(tape.url, "Core." + api, 1, "get", _sid=login["data"]["sid"])["success"], api
`,
};
const pythonSuite = (suffix) => calls.python.replace('{SUFFIX}', suffix);
const bench = new Bench(process.argv[2], process.argv[3]);
const project = new RunnerProject(bench, {
  'nas.js': calls.js,
  'package.json': '{ "type": "module" }',
  'node one.test.js': `
    import { tapedeckTest } from '@tapedeck/tapedeck/node';
    import { names, options, runs } from './nas.js';
    const test = tapedeckTest(options);
    for (const name of names) test(name, (tape) => runs(tape));`,
  'vitest (1).test.js': `
    import { tapedeckTest } from '@tapedeck/tapedeck/vitest';
    import { names, options, runs } from './nas.js';
    const test = tapedeckTest(options);
    for (const name of names) test(name, ({ tape }) => runs(tape));`,
  'vitest.config.js': "export default { test: { include: ['vitest*.test.js'] } };",
  'play+right.spec.js': `
    import { test } from '@tapedeck/tapedeck/playwright';
    import { names, options, runs } from './nas.js';
    test.use({ tapedeck: options });
    for (const name of names) test(name, ({ tape }) => runs(tape));`,
  'playwright.config.js': "export default { testMatch: '*.spec.js', workers: 1, reporter: 'line' };",
  'pytest.ini': '[pytest]\ntapedeck_cassette = nas.cassette',
  'test nas.py': pythonSuite('one'),
});

const js = (...command) => [process.execPath, ...command];
const runners = {
  pytest: { command: [...project.pytest, 'test nas.py'], rename: () => writeFileSync(join(project.folder, 'test nas.py'), pythonSuite('two')) },
  'pytest under exec': { command: [bench.program, 'exec', 'nas.cassette', '--', ...project.pytest, 'test nas.py'], env: {}, rename: () => writeFileSync(join(project.folder, 'test nas.py'), pythonSuite('two')) },
  'node:test': { command: js('--test', '--test-reporter=tap', 'node one.test.js') },
  Vitest: { command: js('node_modules/vitest/vitest.mjs', 'run') },
  Playwright: { command: js('node_modules/@playwright/test/cli.js', 'test') },
};

/** Returns the different commands after a text in the output, without the indentation that runners add. */
function commands(said, title) {
  const found = said.split('\n').filter((line) => line.includes(`${title}: `)).map((line) => line.slice(line.indexOf(`${title}: `) + title.length + 2));
  return [...new Set(found)];
}

async function withDevice(body) {
  const device = await startDevice();
  try {
    await body(device.url);
  } finally {
    await device.close();
  }
}

async function works({ command, rename, env = {} }) {
  for (const name of readdirSync(project.folder)) if (name.startsWith('nas.cassette')) rmSync(join(project.folder, name));
  writeFileSync(join(project.folder, 'test nas.py'), pythonSuite('one'));
  execFileSync(bench.program, ['demo', '--keep', 'other.cassette'], { cwd: project.folder, env: project.env, stdio: 'ignore' });
  // A cassette with something else.
  execFileSync(bench.program, ['export', 'other.cassette', '--call', 'Core.Terminal/*', '-o', 'nas.cassette'], { cwd: project.folder, env: project.env, stdio: 'ignore' });
  rmSync(join(project.folder, 'other.cassette'));
  const passes = async (more) => {
    const ran = await project.run(command, { ...env, ...more });
    assert.equal(ran.status, 0, ran.said);
  };
  const records = async (more, title = 'record this test') => {
    const failed = await project.run(command, { ...env, ...more });
    assert.notEqual(failed.status, 0, failed.said);
    const printed = commands(failed.said, title);
    assert.ok(printed.length > 0, failed.said);
    assert.ok(!failed.said.includes('tapedeck record '), failed.said);
    await withDevice(async (url) => {
      for (const line of printed) {
        const ran = await project.run(['sh', '-c', line.replace(' URL', ` ${url}`)], more);
        assert.equal(ran.status, 0, `${line}\n${ran.said}`);
      }
    });
    await passes(more);
    return printed;
  };
  // New tests, then one more request in each of them, then other names.
  const first = await records({});
  assert.ok(first.every((line) => !line.includes('rerecord')), first.join('\n'));
  const again = await records({ MORE: 'SNMP' });
  assert.ok(again.every((line) => line.includes('rerecord')), again.join('\n'));
  rename?.();
  const renamed = rename ? { MORE: 'SNMP' } : { MORE: 'SNMP', SUFFIX: 'now ' };
  const failed = await project.run(command, { ...env, ...renamed });
  const lines = commands(failed.said, 'if this test was renamed');
  assert.ok(lines.length >= names.length - 2, failed.said);
  for (const line of lines) execFileSync('sh', ['-c', line], { cwd: project.folder, env: project.env });
  const left = await project.run(command, { ...env, ...renamed });
  if (left.status !== 0) await records(renamed, 'record this test');
}

const reports = {
  pytest: [...project.pytest, 'test nas.py', '--junitxml=report.xml', '-q'],
  Vitest: js('node_modules/vitest/vitest.mjs', 'run', '--reporter=junit', '--outputFile=report.xml'),
  Playwright: js('node_modules/@playwright/test/cli.js', 'test', '--reporter=junit'),
};
const steps = {
  ...Object.fromEntries(Object.entries(runners).map(([name, how]) => [`${name}: the printed commands work`, () => works(how)])),
  ...Object.fromEntries(Object.entries(reports).map(([name, command]) => [`${name}: the report contains the miss and its remedy`, async () => {
    rmSync(join(project.folder, 'nas.cassette'), { force: true });
    execFileSync(bench.program, ['demo', '--keep', 'nas.cassette'], { cwd: project.folder, env: project.env, stdio: 'ignore' });
    await project.run(command, { MORE: 'Share', PLAYWRIGHT_JUNIT_OUTPUT_NAME: 'report.xml' });
    const report = readFileSync(join(project.folder, 'report.xml'), 'utf8');
    for (const text of ['SVC.Core.Share/1/get', 'record this test: ']) assert.ok(report.includes(text), report);
    rmSync(join(project.folder, 'nas.cassette'));
    rmSync(join(project.folder, 'report.xml'));
    assert.ok(!existsSync(join(project.folder, 'nas.cassette.recording')));
  }])),
};
const words = process.argv.slice(4);
await run(bench, Object.fromEntries(Object.entries(steps).filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)))));
