// A front end behind Vite in Chromium: it logs in, creates, uploads and sends a compound through each of the ways that the
// documents show, and a page of another origin can do none of that. The default run records behind the recipe's proxy and
// replays behind the plugin; TAPEDECK_LONG adds both proxies in front of a replay, and Playwright's own server.
//   node vite.mjs TAPEDECK TEST_DEVICE

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createSecureServer } from 'node:http2';
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
const { createServer, preview } = await import(pathToFileURL(join(modules, 'vite/dist/node/index.js')));
const { tapedeck } = await import(pathToFileURL(join(project, 'node_modules/@tapedeck/tapedeck/vite.js')));

const elsewhere = createHttpServer((_request, response) => response.setHeader('Content-Type', 'text/html').end('<title>elsewhere</title>'));
elsewhere.listen(0, '127.0.0.1');
await once(elsewhere, 'listening');
const foreignOrigin = `http://127.0.0.1:${elsewhere.address().port}`;
const browser = await playwright.chromium.launch({ ...chromium, args: [...chromium.args, '--host-resolver-rules=MAP nas-page.test 127.0.0.1'] });

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
async function works(base, outcome, attacked = true) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(base);
  const seen = await page.evaluate(flow, { account, password });
  for (const [step, answer] of Object.entries(seen)) {
    assert.equal(answer.status, 200, `${step}: ${answer.body}`);
    assert.equal(JSON.parse(answer.body).success, true, `${step}: ${answer.body}`);
    if (outcome) assert.equal(answer.outcome, outcome, step);
    if (recorded && step !== 'login') assert.equal(answer.body, recorded[step].body, step);
  }
  if (attacked) assert.deepEqual(await attack(page, base), refused);
  await context.close();
  return seen;
}

let liveVite;

async function behindVite(config, use) {
  const vite = await createServer({ root: project, logLevel: 'silent', ...config, server: { ...config.server, host: '127.0.0.1', port: 0 }, cacheDir: join(bench.folder, 'vite') });
  await vite.listen();
  liveVite = vite;
  try {
    return await use(`http://127.0.0.1:${vite.httpServer.address().port}`);
  } finally {
    await vite.close();
  }
}

/** Vite's servers and those that contain one, each with its address. */
const servers = {
  http: (plugins, use) => behindVite({ configFile: false, plugins }, use),
  https: (plugins, use) => behindVite({ configFile: false, plugins, server: { https: certificate() } }, (base) => use(base.replace('http:', 'https:'))),
  'a name that Vite allows': (plugins, use) => behindVite({ configFile: false, plugins, server: { allowedHosts: ['nas-page.test'] } },
    (base) => use(base.replace('127.0.0.1', 'nas-page.test'))),
  localhost: (plugins, use) => behindVite({ configFile: false, plugins }, (base) => use(base.replace('127.0.0.1', 'localhost'))),
  ...Object.fromEntries([['preview', undefined], ['preview over https', certificate]].map(([name, secured]) => [name, async (plugins, use) => {
    cpSync(join(project, 'index.html'), join(bench.folder, 'dist/index.html'));
    const vite = await preview({ root: project, configFile: false, plugins, logLevel: 'silent', build: { outDir: join(bench.folder, 'dist') },
      preview: { host: '127.0.0.1', port: 0, https: secured?.() } });
    try {
      return await use(`http${secured ? 's' : ''}://127.0.0.1:${vite.httpServer.address().port}`);
    } finally {
      await vite.close();
    }
  }])),
  ...Object.fromEntries([['middleware mode', createHttpServer], ['middleware mode over HTTP/2', (app) => createSecureServer({ ...certificate(), allowHTTP1: true }, app)]]
    .map(([name, create]) => [name, async (plugins, use) => {
      const vite = await createServer({ root: project, configFile: false, plugins, logLevel: 'silent', cacheDir: join(bench.folder, 'vite'), 
        server: { middlewareMode: true, ws: false, allowedHosts: true } }); // Vite 6 takes every name over HTTP/2 for a foreign one
      const server = create(vite.middlewares).listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        return await use(`http${name.endsWith('2') ? 's' : ''}://127.0.0.1:${server.address().port}`);
      } finally {
        server.close();
        server.closeAllConnections?.();
        await vite.close();
      }
    }])),
};

function certificate() {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(bench.folder, name));
  if (!existsSync(cert)) {
    spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=127.0.0.1']);
  }
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

/** Returns the tapedeck programs that this process started and that run. */
function programs() {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--exit-with-stdin'));
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
  ...Object.fromEntries(Object.entries(servers).map(([name, behind]) => [`the plugin in ${name}`, async () => {
    await behind([tapedeck({ cassette, program: bench.program })], (base) => works(base, 'recorded', !base.includes('.test'))); // a browser shows no responses to requests of another site
    assert.deepEqual(programs(), []);
  }])),
  'one server survives restarts of Vite with the same options, and ends with Vite': async () => {
    const settings = (more = {}) => `
      import { tapedeck } from '@tapedeck/tapedeck/vite';
      export default { plugins: [tapedeck(${JSON.stringify({ cassette, program: bench.program, args: ['--page'], ...more })})], logLevel: 'silent' };`;
    const configFile = join(project, 'restarted.config.mjs');
    writeFileSync(configFile, settings());
    await behindVite({ configFile }, async (base) => {
      const [first] = programs();
      for (let times = 0; times < 2; ++times) {
        writeFileSync(configFile, `${settings()}// ${times}`);
        await liveVite.restart();
        assert.deepEqual(programs(), [first]);
        assert.equal((await fetch(`${base}/webapi/query.cgi?api=SYNO.API.Info&version=1&method=query`)).status, 200);
      }
      writeFileSync(configFile, settings({ scope: 'another' }));
      await liveVite.restart();
      assert.deepEqual(programs(), [first]);
      writeFileSync(configFile, settings({ args: [] }));
      await liveVite.restart();
      assert.equal(programs().length, 1);
      assert.notDeepEqual(programs(), [first]);
    });
    assert.deepEqual(programs(), []);
  },
  'a recorder survives restarts, and makes room for one with other options; Vite shows what it records': async () => {
    const device = await bench.device();
    const made = join(bench.folder, 'made.cassette');
    const shown = [];
    const quiet = () => {};
    const customLogger = { info: quiet, warn: (line) => shown.push(line), warnOnce: quiet, error: (line) => shown.push(line), clearScreen: quiet, hasErrorLogged: () => false, hasWarned: false };
    const settings = (args) => `
      import { tapedeck } from '@tapedeck/tapedeck/vite';
      export default { plugins: [tapedeck(${JSON.stringify({ cassette: made, program: bench.program, record: 'all', device: device.url, args })})] };`;
    const configFile = join(project, 'recorded.config.mjs');
    writeFileSync(configFile, settings([]));
    await behindVite({ configFile, customLogger }, async (base) => {
      const info = `${base}/webapi/query.cgi?api=SYNO.API.Info&version=1&method=query`;
      const [first] = programs();
      await liveVite.restart();
      assert.deepEqual(programs(), [first]);
      assert.equal((await fetch(info)).status, 200);
      writeFileSync(configFile, settings(['--page']));
      await liveVite.restart();
      assert.equal(programs().length, 1);
      assert.equal((await fetch(info)).status, 200);
    });
    const text = shown.join('\n');
    assert.equal(text.match(/\[tapedeck\] recording http\S+ into .*made\.cassette/g).length, 2, text);
    assert.equal(text.match(/\[tapedeck\] requests 1, recorded 1/g).length, 2, text);
    assert.match(text, /made\.cassette contains 1 interaction\n/);
    assert.match(text, /made\.cassette contains 2 interactions/);
    assert.doesNotMatch(text, /already/);
    await bench.stop(device);
  },
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
