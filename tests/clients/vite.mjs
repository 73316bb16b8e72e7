// A front end behind Vite in Chromium: it logs in, creates, uploads and sends a compound through each of the ways that the
// documents show, and a page of another origin can do none of that. The default run records behind the recipe's proxy and
// replays behind the plugin; TAPEDECK_LONG adds both proxies in front of a replay, and Playwright's own server.
//   node vite.mjs TAPEDECK TEST_DEVICE

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import playwright from 'playwright-core';
import { account, Bench, chromium, environment, inLongRuns, password, run } from './support.mjs';

const root = new URL('../../', import.meta.url).pathname;
const modules = join(root, 'integrations/npm/examples/node_modules');
if (!existsSync(chromium.executablePath) || !existsSync(join(modules, 'vite'))) {
  console.log('skipped: Chromium or the packages of integrations/npm/examples are not there (script/bootstrap test, script/test)');
  process.exit(77);
}

const bench = new Bench(process.argv[2], process.argv[3]);
const project = join(bench.folder, 'project');
const cassette = join(bench.folder, 'nas.cassette');

// Creates a typical project: its packages, the helper, and a page.
mkdirSync(join(project, 'node_modules/@tapedeck'), { recursive: true });
for (const name of readdirSync(modules)) {
  if (!name.startsWith('.') && name !== '@tapedeck') symlinkSync(join(modules, name), join(project, 'node_modules', name));
}
cpSync(join(root, 'integrations/npm/tapedeck'), join(project, 'node_modules/@tapedeck/tapedeck'), { recursive: true });
writeFileSync(join(project, 'package.json'), '{"type":"module"}');
writeFileSync(join(project, 'index.html'), '<!doctype html><meta charset="utf-8"><title>front end</title>');
/** Returns a block of a document, as users copy it. */
const blockOf = (page, name) => {
  const text = readFileSync(join(root, page), 'utf8');
  return text.slice(text.indexOf('\n', text.indexOf(`run=${name}`)) + 1).split('\n```')[0];
};
writeFileSync(join(project, 'proxy.config.mjs'), blockOf('docs/recipes/front-end.md', 'proxy.config.mjs'));
process.chdir(project); // Vite reads what is here
const { createServer } = await import(pathToFileURL(join(modules, 'vite/dist/node/index.js')));
const { tapedeck } = await import(pathToFileURL(join(project, 'node_modules/@tapedeck/tapedeck/vite.js')));

const elsewhere = createHttpServer((_request, response) => response.setHeader('Content-Type', 'text/html').end('<title>elsewhere</title>'));
elsewhere.listen(0, '127.0.0.1');
await once(elsewhere, 'listening');
const foreignOrigin = `http://127.0.0.1:${elsewhere.address().port}`;
const browser = await playwright.chromium.launch(chromium);

/** Runs in the page: sends the requests of a front end as forms. */
async function flow({ account: name, password: secret }) {
  const post = async (path, body) => {
    const answer = await fetch(path, { method: 'POST', body });
    return { status: answer.status, outcome: answer.headers.get('X-Tapedeck-Outcome'), body: await answer.text() };
  };
  const call = (api, version, method, more = {}) => new URLSearchParams({ api: `SYNO.${api}`, version, method, ...more });
  const file = new FormData();
  for (const [key, value] of Object.entries({ api: 'SYNO.FileStation.Upload', version: '2', method: 'upload', path: '/home' })) file.append(key, value);
  file.append('file', new Blob(['three\nlines\nof a file\n']), 'notes.txt');
  const parts = JSON.stringify([{ api: 'SYNO.Core.Network', version: 1, method: 'get' }, { api: 'SYNO.Core.System', version: 1, method: 'info' }]);
  return {
    login: await post('/webapi/auth.cgi', call('API.Auth', 6, 'login', { account: name, passwd: secret, format: 'cookie' })),
    create: await post('/webapi/entry.cgi', call('Core.Group', 1, 'create', { name: 'editors' })),
    upload: await post('/webapi/entry.cgi', file),
    compound: await post('/webapi/entry.cgi', call('Entry.Request', 1, 'request', { compound: parts, mode: 'sequential' })),
  };
}

/** Runs in a page of another origin: sends a form, a script's POST, a script's read, an image, and a link; returns the browser's
 * result of each. */
async function attack(page, base) {
  const target = `${base}/webapi/entry.cgi?api=SYNO.Core.System&version=1&method=info`;
  const statuses = [];
  const sees = async (what, act) => {
    const answer = page.waitForResponse((response) => response.url().startsWith(base));
    await act();
    statuses.push(`${what} ${(await answer).status()}`);
  };
  await page.goto(foreignOrigin);
  await sees('post', () => page.evaluate((url) => fetch(url, { method: 'POST', mode: 'no-cors', body: new URLSearchParams({ a: 1 }) }), target));
  await sees('read', () => page.evaluate((url) => fetch(url, { mode: 'no-cors' }), target));
  await sees('image', () => page.evaluate((url) => { new Image().src = url; }, target));
  await sees('form', () => page.evaluate((url) => {
    const form = Object.assign(document.createElement('form'), { method: 'POST', action: url });
    document.body.append(form);
    form.submit();
  }, target));
  await page.waitForURL(`${base}/**`);
  await page.goto(foreignOrigin);
  await sees('link', () => page.evaluate((url) => { location.href = url; }, target));
  return statuses;
}

const refused = ['post', 'read', 'image', 'form', 'link'].map((what) => `${what} 403`);
let recorded;

/** Runs the flow in a page of `base`, and the attack on it. */
async function works(base, outcome) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(base);
  const seen = await page.evaluate(flow, { account, password });
  for (const [step, answer] of Object.entries(seen)) {
    assert.equal(answer.status, 200, `${step}: ${answer.body}`);
    assert.equal(JSON.parse(answer.body).success, true, `${step}: ${answer.body}`);
    if (outcome) assert.equal(answer.outcome, outcome, step);
    if (recorded && step !== 'login') assert.equal(answer.body, recorded[step].body, step);
  }
  assert.deepEqual(await attack(page, base), refused);
  await context.close();
  return seen;
}

async function behindVite(config, use) {
  const vite = await createServer({ root: project, logLevel: 'silent', ...config, server: { ...config.server, host: '127.0.0.1', port: 0 }, cacheDir: join(bench.folder, 'vite') });
  await vite.listen();
  try {
    return await use(`http://127.0.0.1:${vite.httpServer.address().port}`);
  } finally {
    await vite.close();
  }
}

async function withUrl(url, use) {
  process.env.TAPEDECK_URL = url;
  try {
    return await use();
  } finally {
    delete process.env.TAPEDECK_URL;
  }
}

async function underExec() {
  const free = createHttpServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address();
  free.close();
  writeFileSync(join(project, 'vite.config.mjs'), blockOf('docs/recipes/front-end.md', 'proxy.config.mjs'));
  writeFileSync(join(project, 'playwright.config.mjs'), `
    import { defineConfig } from '@playwright/test';
    export default defineConfig({ testMatch: 'flow.spec.mjs', reporter: 'line', outputDir: '${bench.folder}/results',
      webServer: { command: 'node node_modules/vite/bin/vite.js --host 127.0.0.1 --port ${port} --strictPort', url: 'http://127.0.0.1:${port}' },
      use: { baseURL: 'http://127.0.0.1:${port}', launchOptions: ${JSON.stringify({ executablePath: chromium.executablePath, args: chromium.args })} } });`);
  writeFileSync(join(project, 'flow.spec.mjs'), `
    import { expect, test } from '@tapedeck/tapedeck/playwright';
    const foreignOrigin = '${foreignOrigin}';
    ${flow}
    ${attack}
    test('a front end works, and a page elsewhere does not', async ({ page, tape, baseURL }) => {
      await page.goto('/');
      const seen = await page.evaluate(flow, ${JSON.stringify({ account, password })});
      for (const answer of Object.values(seen)) expect([answer.status, answer.outcome]).toEqual([200, 'recorded']);
      await tape.assertCalled('Core.Group/create');
      await page.setExtraHTTPHeaders({});
      expect(await attack(page, baseURL)).toEqual(${JSON.stringify(refused)});
    });`);
  const ran = await outputOf(bench.program, ['exec', cassette, '--', process.execPath, 'node_modules/@playwright/test/cli.js', 'test']);
  assert.equal(ran.status, 0, ran.text);
}

await run(bench, {
  'the proxy of the recipe, in front of the recorder': async () => {
    const device = await bench.device();
    const recorder = await bench.server('record', '--device', device.url, cassette);
    recorded = await withUrl(recorder.url, () => behindVite({ configFile: join(project, 'proxy.config.mjs') }, works));
    assert.equal(await bench.stop(recorder), 0, recorder.said);
    await bench.stop(device);
  },
  ...inLongRuns({
    'the proxy of the recipe, and that of the example dashboard, in front of a replay': async () => {
      for (const configFile of [join(project, 'proxy.config.mjs'), join(root, 'examples/dashboard/vite.config.js')]) {
        const replay = await bench.server('replay', cassette);
        await withUrl(replay.url, () => behindVite({ configFile }, (base) => works(base, 'recorded')));
        await bench.stop(replay);
      }
    },
  }),
  'the plugin, which shows misses, refusals and the link of the page once each': async () => {
    const shown = [];
    const quiet = () => {};
    const customLogger = { info: quiet, warn: (line) => shown.push(line), warnOnce: quiet, error: quiet, clearScreen: quiet, hasErrorLogged: () => false, hasWarned: false };
    const plugins = [tapedeck({ cassette, program: bench.program, args: ['--page'] })];
    await behindVite({ configFile: false, plugins, customLogger }, async (base) => {
      await works(base, 'recorded');
      for (let times = 0; times < 2; ++times) await fetch(`${base}/webapi/entry.cgi?api=SYNO.Core.Nothing&version=1&method=get&_sid=any`);
      for (let looks = 0; looks < 200 && !shown.some((line) => line.includes('Core.Nothing')); ++looks) await new Promise((wake) => setTimeout(wake, 25));
    });
    const count = (pattern) => shown.filter((line) => pattern.test(line)).length;
    assert.equal(count(/^\[tapedeck\] page: http:\/\/127/), 1, shown.join('\n'));
    assert.equal(count(/^\[tapedeck\] miss: SYNO\.Core\.Nothing/), 1, shown.join('\n'));
    assert.equal(count(new RegExp(`^\\[tapedeck\\] refused: requests from pages of ${foreignOrigin} `)), 1, shown.join('\n'));
  },
  "the plugin accepts an Origin only from a page of the dev server's own": () =>
    behindVite({ configFile: false, plugins: [tapedeck({ cassette, program: bench.program })] }, async (base) => {
      const own = { Origin: base, 'Sec-Fetch-Site': 'same-origin' };
      for (const [headers, status] of [[own, 200], [{ Origin: base }, 200], [{}, 200], [{ ...own, 'Sec-Fetch-Site': 'same-site' }, 403],
        [{ ...own, 'Sec-Fetch-Site': 'cross-site' }, 403], [{ ...own, Origin: foreignOrigin }, 403], [{ ...own, Origin: 'null' }, 403],
        [{ Origin: base.replace('http', 'https') }, 403]]) {
        const sent = spawnedCurl(`${base}/webapi/query.cgi`, headers);
        assert.equal(await sent, String(status), JSON.stringify(headers));
      }
    }),
  ...inLongRuns({ "Playwright's webServer under exec": underExec }),
  'the browser and the other origin end': async () => {
    await browser.close();
    elsewhere.closeAllConnections();
    elsewhere.close();
  },
});

/** fetch() sets these headers itself. */
function spawnedCurl(url, headers) {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  return outputOf('curl', ['-q', '-s', '--noproxy', '*', '-o', '/dev/null', '-w', '%{http_code}', ...lines, url,
    '--data', 'api=SYNO.API.Info&version=1&method=query&query=all']).then(({ text }) => text);
}

function outputOf(command, args) {
  const child = spawn(command, args, { cwd: project, env: { ...environment(bench.folder), HOME: bench.folder, CI: '' } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (more) => { text += more; });
  return new Promise((done) => child.once('close', (status) => done({ status, text })));
}
