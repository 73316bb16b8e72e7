// Checks that texts of clients, devices, and files cannot leave their quotes in what the page copies and the program
// writes: commands, tests, rules, and reports with odd names contain nothing but what they contain with plain ones.
//   node quoting.mjs TAPEDECK

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

import { Bench, environment } from './support.mjs';

const page = new URL('../../inspector/page/', import.meta.url);
const { commentText, pythonText, scriptText, shellWord, tomlText } = await import(new URL('quote.js', page));

const bench = new Bench(process.argv[2]);
const odd = ["'", '"', '\\', '\\\\', "\\'", '\\"', '\n', '\r', '\r\n', '\t', '\u0001', '\u007f', '\u0085', '\u2028', '\u2029', '$(exit 9)', '`exit 9`', '${globalThis.ran = 1}', "'; globalThis.ran = 1; '", '"""', "'''", '#', '*/', '//', '{}', '%s', '%A', '-x', ' ', '\u{1f600}', 'ä', '</script>'];
const texts = ['', ...odd, ...odd.flatMap((one) => odd.map((other) => `a${one}${other}b`)), ...odd.map((one) => `${one}\nimport os; os._exit(9)\n${one}`)];

/** Returns what a program prints: the texts that it reads, as a JSON list. */
function reads(program, source = '', ok = [0]) {
  const ran = spawnSync(program[0], program.slice(1), { input: source, encoding: 'utf8', maxBuffer: 1 << 26, env: environment(bench.folder) });
  assert.ok(ok.includes(ran.status), ran.stderr);
  return ran.stdout;
}

for (const text of texts) assert.equal(new Function(`return ${scriptText(text)}`)(), text);
assert.deepEqual(JSON.parse(reads(['python3', '-'], `import json\nprint(json.dumps([${texts.map(pythonText).join(', ')}]))\n`)), texts);
assert.deepEqual(JSON.parse(reads(['python3', '-c', 'import json, sys, tomllib; print(json.dumps(tomllib.loads(sys.stdin.buffer.read().decode())["a"]))'], `a = [${texts.map(tomlText).join(', ')}]`)), texts);
assert.deepEqual(reads(['sh'], texts.map((text) => `printf '%s\\0' ${shellWord(text)}`).join('\n')).split('\0').slice(0, -1), texts);
for (const text of texts) assert.match(commentText(text), /^[^\p{C}\u2028\u2029]*$/u);

// The forms as a whole: with odd texts in each place, the syntax tree is that of plain texts.
const { forms } = await import(new URL('copy_as.js', page));
const { store } = await import(new URL('store.js', page));
const written = (text) => {
  store.state = { url: 'http://127.0.0.1:8080', cassettes: [`/tmp/${text.replaceAll('/', '')}.cassette`] };
  const entry = { api: `SVC.${text}`, version: text, method: text, key: `SVC.${text}/${text}/${text}?${text}=${text}`, verb: text || 'GET', scope: text };
  return Object.fromEntries(forms({ entry, asked: { parameters: [{ name: text, value: text }] } }).map(([name, form]) => [name, form()]));
};
const tree = `import ast, json, sys
print(json.dumps([[type(node).__name__ for node in ast.walk(ast.parse(one))] for one in json.load(sys.stdin)]))`;
const all = ['plain', ...odd, ...texts.filter((text) => text.includes('_exit'))].map(written);
const trees = JSON.parse(reads(['python3', '-c', tree], JSON.stringify(all.map((one) => one.pytest))));
for (const one of trees) assert.deepEqual(one, trees[0]);

const kinds = (source) => {
  const list = [];
  const walk = (node) => { list.push(ts.isIdentifier(node) || ts.isStringLiteral(node) ? 'word' : node.kind); ts.forEachChild(node, walk); };
  const file = ts.createSourceFile('one.ts', source, ts.ScriptTarget.Latest);
  assert.deepEqual(file.parseDiagnostics.map((one) => one.messageText), [], source);
  walk(file);
  return list;
};
for (const form of ['Playwright', 'Vitest']) {
  const plain = kinds(all[0][form]);
  for (const one of all) assert.deepEqual(kinds(one[form]), plain);
}

// curl gets as many words as with plain texts, and the shell runs nothing else.
const counts = reads(['sh'], `curl() { echo $#; }\n${all.map((one) => one.curl).join('\n')}`);
assert.equal(counts, counts.slice(0, counts.indexOf('\n') + 1).repeat(all.length));

// A cassette with odd names of an API, method, parameter, and member: a read, a write that changes it, and the read again.
const names = [...odd.filter((one) => one !== '/' && one !== '//'), '\n[[overlay]]\ncall = "*/*/*"\nerror = 1\n#', '\ninteraction x', '-->', ']]>', '<testcase/>', '*/\nexport const x = 1; /*'];
const entries = [];
const call = (params, data) => {
  const text = JSON.stringify({ data, success: true });
  const time = new Date(Date.UTC(2026, 0, 1) + 1000 * entries.length).toISOString();
  const url = `http://nas.example/webapi/entry.cgi?${new URLSearchParams(params)}`;
  entries.push({
    startedDateTime: time, time: 1, cache: {}, timings: { send: 0, wait: 1, receive: 0 },
    request: { method: 'GET', url, httpVersion: 'HTTP/1.1', headers: [], queryString: [], cookies: [], headersSize: -1, bodySize: 0 },
    response: { status: 200, statusText: 'OK', httpVersion: 'HTTP/1.1', headers: [{ name: 'Content-Type', value: 'application/json' }], cookies: [], redirectURL: '', content: { size: text.length, mimeType: 'application/json', text }, headersSize: -1, bodySize: text.length },
  });
};
for (const [i, text] of names.entries()) {
  // A call with an odd name may change the device, so that effects are only proposed for those with plain ones.
  for (const odd of ['', text]) {
    const get = { api: `SYNO.Odd.N${i}${odd}`, version: '1', method: 'get', [`p${text}`]: text };
    call(get, { [`m${text}`]: { [`n${text}`]: 'before' } });
    call({ ...get, method: `set${odd}`, [`v${text}`]: `v${text}` }, {});
    call(get, { [`m${text}`]: { [`n${text}`]: `v${text}` } });
  }
}
const file = (name) => join(bench.folder, name);
writeFileSync(file('odd.har'), JSON.stringify({ log: { version: '1.2', creator: { name: 'test', version: '1' }, entries } }));
const tapedeck = (...args) => reads([bench.program, ...args]);
tapedeck('import', '-o', file('odd.cassette'), file('odd.har'));
const toml = (sources) => JSON.parse(reads(['python3', '-c', 'import json, sys, tomllib; print(json.dumps([tomllib.loads(one) for one in json.load(sys.stdin)]))'], JSON.stringify(sources)));

const [effects] = toml([tapedeck('overlay', '--effects', file('odd.cassette'))]);
assert.deepEqual(Object.keys(effects), ['effect']);
const merged = new Map(effects.effect.map((one) => [one.on, one.change]));
for (const [i, text] of names.entries()) {
  assert.deepEqual(merged.get(`Odd.N${i}/*/set`)[0].merge, { data: { [`m${text}`]: { [`n${text}`]: `{{param.v${text}}}` } } });
}

const ids = JSON.parse(tapedeck('ls', '--json', file('odd.cassette'))).map((one) => one.id);
assert.equal(ids.length, entries.length);
for (const one of toml(ids.map((id) => tapedeck('show', file('odd.cassette'), id, '--as', 'overlay')))) {
  assert.deepEqual([Object.keys(one), one.overlay.length], [['overlay'], 1]);
}

for (const ending of ['ts', 'txt', 'har', 'jsonl']) tapedeck('export', file('odd.cassette'), '-o', file(`odd.${ending}`));
const types = ts.createSourceFile('odd.ts', readFileSync(file('odd.ts'), 'utf8'), ts.ScriptTarget.Latest);
assert.deepEqual(types.parseDiagnostics.map((one) => one.messageText), []);
assert.equal(types.statements.length, 3 + 8 * names.length);
assert.ok(types.statements.every((one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)));
assert.equal(readFileSync(file('odd.txt'), 'utf8').match(/^\S.*$/gm).length, 1 + entries.length);
assert.equal(JSON.parse(readFileSync(file('odd.har'), 'utf8')).log.entries.length, entries.length);
const lines = readFileSync(file('odd.jsonl'), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
assert.equal(lines.filter((one) => one.kind === 'interaction').length, entries.length);

// Misses with the same names, in a report for CI.
const ask = 'import json, os, sys, urllib.request\nfor one in json.load(open(sys.argv[1])):\n  try: urllib.request.urlopen(os.environ["TAPEDECK_URL"] + one, timeout=20).read()\n  except urllib.error.HTTPError: pass';
const targets = names.map((text) => `/webapi/entry.cgi?${new URLSearchParams({ api: `SYNO.Gone.G${text}`, version: '1', method: `get${text}`, [text]: text })}`);
writeFileSync(file('targets.json'), JSON.stringify(targets));
reads([bench.program, 'exec', '--report', file('odd.xml'), file('odd.cassette'), '--', 'python3', '-c', ask, file('targets.json')]);
const cases = JSON.parse(reads(['python3', '-c', 'import json, sys, xml.etree.ElementTree as tree; print(json.dumps([[one.tag, one.get("classname")] for one in tree.parse(sys.argv[1]).iter()]))', file('odd.xml')]));
assert.deepEqual(new Set(cases.map(([tag]) => tag)), new Set(['testsuites', 'testsuite', 'testcase', 'failure']));
assert.equal(cases.filter(([, group]) => group === 'tapedeck.miss').length, names.length);

// Commands in messages: the shell reads the odd name of a file as one word.
for (const text of odd.filter((one) => !/[\p{C}\u2028\u2029/]/u.test(one))) {
  const name = `x${text}.har`;
  const ran = spawnSync(bench.program, ['ls', name], { encoding: 'utf8', cwd: bench.folder, env: environment(bench.folder) });
  const [, command] = /^hint: `tapedeck (.*)` makes one of it$/m.exec(ran.stderr);
  assert.deepEqual(reads(['sh'], `printf '%s\\0' ${command}`).split('\0').slice(0, -1), ['import', '-o', 'NAME.cassette', name]);
}
console.log(`${texts.length} texts stay texts in shell, Python, JavaScript, and TOML, and ${names.length} names in what is exported`);
process.exit(0);
