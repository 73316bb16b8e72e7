// Checks the code blocks of all documents. Blocks tagged `run` are run, `run=FILE` is written to a file, `output-of` is
// compared with the output of the block before, and `shown: reason` is not checked. `run-until-stopped` runs in the
// background until `output-of-stopped`, which is compared with its output, or until the next such block. A block without
// a tag fails. Each page, or each part of it between horizontal rules, runs in one bash and its own folder, which is
// empty: its first command works without preparation, and creates a recording of the simulated NAS if it needs one.
//   node documents.mjs TAPEDECK DEVICE [PAGE…]
//
// The pages use https://nas.example:5001, a device that they start at 127.0.0.1:5000, and a server at 127.0.0.1:8080. Here
// the first is the sample device, and the others are at free ports: `tapedeck` and `curl` are small scripts that replace them. README.md runs twice, with the built-in device of
// `tapedeck replay` and with the tests' device in place of the NAS.

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { startDevice } from '../../examples/nas/device.mjs';
import { terminal } from './page/terminal.mjs';
import { Bench, chromium, environment, run } from './support.mjs';

const root = new URL('../../', import.meta.url).pathname;
const modules = join(root, 'integrations/npm/examples/node_modules');
const python = '/usr/bin/python3';
const hasPython = () => spawnSync(python, ['-c', 'import aiohttp, pytest, xdist, random_order, pytest_rerunfailures, venv']).status === 0;
/** The blocks of a page: `{line, tag, part, text}`. */
export function blocksOf(page, text) {
  const blocks = [];
  let open;
  let part = 0;
  for (const [i, line] of text.split('\n').entries()) {
    const fence = /^```(\S*) ?(.*)$/.exec(line);
    if (line === '---' && !open) part += 1;
    if (fence && !open) open = { line: i + 1, tag: fence[2], part, lines: [] };
    else if (line === '```') { blocks.push({ ...open, text: open.lines.join('\n') }); open = undefined; }
    else if (open) open.lines.push(line);
    else assert.ok(!/^ {4}/.test(line), `${page}:${i + 1}: an indented block has no tag`);
  }
  assert.equal(open, undefined, `${page}: a block has no end`);
  for (const { line, tag } of blocks) {
    assert.match(tag, /^(run|run=[\w./-]+|run-until-stopped|output-of|output-of-stopped|shown: .+)$/, `${page}:${line}: a block without a tag, or with an unknown one`);
  }
  return blocks;
}

/** Throws for a link to a missing file or heading. `exists` and `read` take paths from the root. */
export function checkLinks(page, text, exists, read) {
  const prose = text.replace(/^```[^]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path, anchor] = target.split('#');
    const file = path ? join(dirname(page), path) : page;
    assert.ok(exists(file), `${page}: a link to ${target}, which is not there`);
    if (!anchor) continue;
    const anchors = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, title]) => title.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
    assert.ok(anchors.includes(anchor), `${page}: a link to ${target}, a heading that is not there`);
  }
}

/** Returns every document of the repository, except those of packages. */
function documents(folder = root) {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !/^(\.|node_modules$|build$|dist$)/.test(name));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return documents(path);
    return entry.name.endsWith('.md') ? [relative(root, path)] : [];
  }).sort();
}

const pages = new Map(documents().map((page) => [page, blocksOf(page, readFileSync(join(root, page), 'utf8'))]));
assert.ok(pages.size > 25, 'the documents are not found');
for (const page of pages.keys()) checkLinks(page, readFileSync(join(root, page), 'utf8'), (path) => existsSync(join(root, path)), (path) => readFileSync(join(root, path), 'utf8'));

if (!existsSync(chromium.executablePath) || !existsSync(join(modules, 'vitest')) || !hasPython()) {
  console.log('skipped: Chromium, pytest or the packages of integrations/npm/examples are not there (script/bootstrap test, script/test)');
  process.exit(77);
}

const bench = new Bench(process.argv[2], process.argv[3]);
const bin = join(bench.folder, 'bin');
const base = join(bench.folder, 'pages');
const ready = join(bench.folder, 'address'); // of the server at 127.0.0.1:8080
const deviceReady = join(bench.folder, 'device'); // of the device at 127.0.0.1:5000

/** Compares texts: … matches any text within a line, and a line with only … matches any lines. */
export function fits(expected, got) {
  const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const lines = expected.trimEnd().split('\n').map((line) => (line === '…' ? '(?:.*\n)*?' : `${line.split('…').map(escape).join('.*')}\n`));
  return new RegExp(`^${lines.join('')}$`).test(`${got.trimEnd()}\n`);
}

function script(name, text) {
  writeFileSync(join(bin, name), text);
  chmodSync(join(bin, name), 0o755);
}

/** Returns one bash script for the blocks of a page. Each block prints a mark first; `stop` ends the block in the background. */
function scriptOf(blocks, folder) {
  let text = 'set -euo pipefail\nstop() { [ -z "${background:-}" ] || { kill "$background"; wait "$background"; background=; }; }\n';
  for (const [i, { tag, text: block }] of blocks.entries()) {
    if (tag === 'run-until-stopped') text += `stop\n${block} >.stopped 2>>background.log &\nbackground=$!\n`;
    if (tag === 'output-of-stopped') text += `stop\nprintf '\\n@@@@ ${i}\\n'\ncat .stopped\n`;
    if (tag.startsWith('run=')) {
      const file = join(folder, tag.slice(4));
      writeFileSync(join(folder, `.block-${i}`), `${block}\n`);
      text += `mkdir -p '${dirname(file)}'\ncp .block-${i} '${file}'\n`;
    }
    if (tag === 'run') text += `printf '\\n@@@@ ${i}\\n'\n${block}\n`;
  }
  return `${text}stop\n`;
}

/** Runs the script in its own process group and ends the whole group, because `npx` does not end its child. */
function bash(text, options) {
  const child = spawn('bash', ['-c', text], { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const ran = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (more) => { ran[name] += more.replaceAll('\r', ''); });
  const end = () => { try { process.kill(-child.pid, 'SIGKILL'); } catch { /* all of it has gone */ } };
  const late = setTimeout(end, 300_000);
  process.once('exit', end);
  return new Promise((resolve) => child.once('exit', (status) => {
    end();
    process.off('exit', end);
    clearTimeout(late);
    child.once('close', () => resolve({ ...ran, status }));
  }));
}

async function runPage(page, url = device.url) {
  const blocks = pages.get(page);
  for (const part of new Set(blocks.map((block) => block.part))) await runPart(page, blocks.filter((block) => block.part === part), url);
}

async function runPart(page, blocks, url) {
  for (const file of [ready, deviceReady]) rmSync(file, { force: true });
  const folder = mkdtempSync(join(base, `${page.replaceAll('/', '_')}-`));
  symlinkSync(join(base, 'node_modules'), join(folder, 'node_modules')); // as installed in the project
  const ran = await bash(scriptOf(blocks, folder), {
    cwd: folder,
    env: environment(bench.folder, { PATH: `${bin}:${process.env.PATH}`, HOME: bench.folder, CI: '', NO_COLOR: '1', NAS: url,
      GIT_AUTHOR_NAME: 'ann', GIT_AUTHOR_EMAIL: 'ann@example.org', GIT_COMMITTER_NAME: 'ann', GIT_COMMITTER_EMAIL: 'ann@example.org' }),
  });
  assert.equal(ran.status, 0, `${page}: a block failed\n${ran.stdout}\n${ran.stderr}`);
  const outputs = new Map(ran.stdout.split(/\n@@@@ /).slice(1).map((part) => [Number.parseInt(part, 10), part.slice(part.indexOf('\n') + 1)]));
  for (const [i, { line, tag, text }] of blocks.entries()) {
    if (!tag.startsWith('output-of')) continue;
    const got = outputs.get(tag === 'output-of' ? i - 1 : i);
    assert.ok(got !== undefined, `${page}:${line}: the block before it is not one that runs`);
    assert.ok(fits(text, got), `${page}:${line}: it prints something else:\n${got}`);
  }
}

const runs = ([, found]) => found.some(({ tag }) => tag.startsWith('run'));
const chosen = process.argv.length > 4 ? process.argv.slice(4) : [...pages].filter(runs).map(([page]) => page);
let device;

const steps = {
  'the check itself can fail': () => {
    for (const text of ['```sh\nls\n```', '    indented', '```sh run', '```sh show: why\n```']) assert.throws(() => blocksOf('a page', text), text);
    const page = (name) => `docs/${name}.md`;
    const links = (text) => checkLinks(page('a'), text, (path) => path === page('b'), () => '## Two words (`x`)');
    links('[b](b.md) [b](b.md#two-words-x) [c](https://example.org/c) `[d](d.md)`');
    for (const text of ['[c](c.md)', '[b](../b.md)', '[b](b.md#three)']) assert.throws(() => links(text), text);
    assert.ok(fits('a…c\n…\nend', 'abc\n1\n2\nend') && fits('…\nb', 'b') && !fits('a', 'ab') && !fits('a…\nb', 'a') && !fits('a.c', 'abc'));
  },
  'packages and scripts are made': async () => {
    device = await startDevice();
    for (const folder of [bin, base]) mkdirSync(folder);
    script('tapedeck', `#!/bin/bash
arguments=("$@")
case "$*" in
  *'--listen 127.0.0.1:5000'*) arguments=("\${@/127.0.0.1:5000/127.0.0.1:0}" --ready-file ${deviceReady}) ;;
  *http://127.0.0.1:5000*)
    for _ in $(seq 400); do [ -s ${deviceReady} ] && break; sleep 0.05; done
    arguments=("\${@//http:\\/\\/127.0.0.1:5000/$(head -n 1 ${deviceReady})}") ;;
esac
arguments=("\${arguments[@]//https:\\/\\/nas.example:5001/$NAS}")
[[ $1 != re* || $* = *--listen* ]] || arguments=("$1" --listen 127.0.0.1:0 --ready-file ${ready} "\${arguments[@]:1}")
exec ${bench.program} "\${arguments[@]}"
`);
    script('curl', `#!/bin/bash
address=127.0.0.1:8080
if [[ $* = *"$address"* ]]; then
  for _ in $(seq 400); do [ -s ${ready} ] && break; sleep 0.05; done
  address=$(sed -n '1s|^http://||p' ${ready})
fi
exec /usr/bin/curl -q --noproxy '*' "\${@//127.0.0.1:8080/$address}"
`);
    execFileSync('cp', ['-a', modules, join(base, 'node_modules')]);
    cpSync(join(root, 'integrations/npm/tapedeck'), join(base, 'node_modules/@tapedeck/tapedeck'), { recursive: true });
    cpSync(join(root, 'integrations/pytest/src'), join(bench.folder, 'python'), { recursive: true });
    script('python3', `#!/bin/bash\nexec ${python} "$@"\n`);
    script('pytest', `#!/bin/bash\nPYTHONPATH=${bench.folder}/python exec ${python} -m pytest -p pytest_tapedeck.plugin "$@"\n`);
  },
};
for (const page of chosen.filter((one) => one !== 'README.md')) steps[page] = () => runPage(page);
if (chosen.includes('README.md')) {
  steps['README.md with the built-in device'] = async () => runPage('README.md', (await bench.server('replay')).url);
  steps["README.md with the tests' device"] = async () =>
    runPage('README.md', (await bench.device('--account', 'tester', '--password', 'my-secret-password')).url);
}
steps['each page begins with a command that works in an empty folder'] = () => {
  for (const [page, blocks] of pages) {
    const first = blocks.find(({ text }) => /^tapedeck [a-z]/m.test(text));
    // The examples are folders of the sources, and the README begins with script/demo.
    if (!first || /^(README|CONTRIBUTING|examples\/)/.test(page) || page === 'docs/reference.md') continue;
    assert.equal(first.tag, 'run', `${page}:${first.line}: the first command does not run in an empty folder`);
  }
};
steps['every page is in the table of the README'] = () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const listed = [...pages.keys()].filter((page) => page.startsWith('docs/'));
  assert.ok(listed.length > 15 && listed.length <= 24, `${listed.length} pages`);
  for (const page of listed) assert.ok(readme.includes(`](${page})`), `README.md does not have ${page}`);
};
steps['the figures of the README are those that were measured last'] = () => {
  const measured = readFileSync(join(root, 'docs/performance.md'), 'utf8');
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const rows = measured.split('\n').filter((line) => line.startsWith('| ')).map((line) => line.slice(2).split(' | '));
  const claims = readme.replace(/\s+/g, ' ');
  // A cell is "1.15 ×", or the range of several runs, "1.05–1.20 ×".
  const values = (start, column) => rows.filter(([name]) => name.startsWith(start)).flatMap((row) => row[column].match(/[\d.,]+/g) ?? []).map((one) => Number(one.replaceAll(',', '')));
  const span = (numbers) => [Math.min(...numbers), Math.max(...numbers)];
  const [, slowest, fastest] = /Replay reaches ([\d.]+) .*?to ([\d.]+) times/.exec(claims);
  assert.deepEqual([slowest, fastest].map(Number), span(rows.filter(([name]) => /^replay, .* calls/.test(name)).flatMap(([name]) => values(name, 4))), 'replay beside nginx');
  const [, ...recording] = /reaches ([\d.]+)(?: to ([\d.]+))? times that of nginx as a plain proxy/.exec(claims);
  assert.deepEqual(span(recording.filter(Boolean).map(Number)), span(rows.find(([name]) => name === 'recording')[4].match(/[\d.]+/g).map(Number)), 'recording beside nginx');
  const [, count, ...start] = /A replay of ([\d,]+) interactions responds (\d+)(?: to (\d+))? ms after/.exec(claims);
  assert.deepEqual(span(start.filter(Boolean).map(Number)), span(values(`first response after the start, ${count} interactions`, 1)), 'the start');
};
steps['the picture of the README is what the program prints'] = async () => {
  assert.equal(await terminal(bench), readFileSync(join(root, 'docs/pictures/terminal.svg'), 'utf8'), 'script/pictures draws it again');
};

await run(bench, { ...steps, 'the device is stopped': () => device.close() });
