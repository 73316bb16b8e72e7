// Compares the types of the npm package with its code and with the server's members, in both directions.
//   node types.mjs TAPEDECK TEST_DEVICE

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { Bench, run } from './support.mjs';

const root = new URL('../../', import.meta.url).pathname;
const modules = join(root, 'integrations/npm/examples/node_modules');
if (!existsSync(join(modules, 'vitest'))) {
  console.log('skipped: the packages of integrations/npm/examples are not there (script/test)');
  process.exit(77);
}
const bench = new Bench(process.argv[2], process.argv[3]);
const entries = ['index', 'node', 'playwright', 'vite', 'vitest'];
const folder = join(bench.folder, 'node_modules/@tapedeck/tapedeck');
mkdirSync(join(bench.folder, 'node_modules/@types'), { recursive: true });
cpSync(join(root, 'integrations/npm/tapedeck'), folder, { recursive: true });
for (const name of readdirSync(modules)) {
  if (!['.', '@tapedeck', '@types'].some((one) => name.startsWith(one))) symlinkSync(join(modules, name), join(bench.folder, 'node_modules', name));
}
symlinkSync(join(root, 'tests/clients/node_modules/@types/node'), join(bench.folder, 'node_modules/@types/node'));

const compilerOptions = { strict: true, noEmit: true, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022, skipLibCheck: true, types: ['node'], typeRoots: [join(bench.folder, 'node_modules/@types')] };

/** Returns the public members of a class or an interface. */
function membersOf(file, name) {
  const source = ts.createSourceFile(file, ts.sys.readFile(file), ts.ScriptTarget.ES2022, true);
  const found = new Set();
  const visit = (node) => {
    const isThat = (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) && node.name?.text === name;
    if (!isThat) return ts.forEachChild(node, visit);
    for (const member of node.members) if (member.name && !ts.isPrivateIdentifier(member.name)) found.add(member.name.text);
    const assigned = (inner) => {
      const left = ts.isBinaryExpression(inner) && inner.operatorToken.kind === ts.SyntaxKind.EqualsToken ? inner.left : undefined;
      if (left && ts.isPropertyAccessExpression(left) && left.expression.kind === ts.SyntaxKind.ThisKeyword && !ts.isPrivateIdentifier(left.name)) found.add(left.name.text);
      ts.forEachChild(inner, assigned);
    };
    if (ts.isClassDeclaration(node)) node.members.filter(ts.isConstructorDeclaration).forEach(assigned);
    return undefined;
  };
  visit(source);
  return [...found].sort();
}

/** Returns the names of the values that a module exports. */
function valuesOf(file) {
  const program = ts.createProgram([file], { ...compilerOptions, allowJs: true });
  const checker = program.getTypeChecker();
  const symbol = checker.getSymbolAtLocation(program.getSourceFile(file));
  const isValue = (one) => ((one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one).flags & ts.SymbolFlags.Value) !== 0;
  return checker.getExportsOfModule(symbol).filter(isValue).map(({ name }) => name).sort();
}

await run(bench, {
  'a project that uses everything compiles, and misuse does not': () => {
    const file = join(bench.folder, 'use.mts');
    writeFileSync(join(bench.folder, 'package.json'), '{"type":"module"}');
    writeFileSync(file, `
      import { findProgram, scopeName, start, type Expected, type JournalEntry, type Overlay, type ServerOptions } from '@tapedeck/tapedeck';
      import { tapedeckTest as nodeTest } from '@tapedeck/tapedeck/node';
      import { defineConfig, expect, test } from '@tapedeck/tapedeck/playwright';
      import { tapedeck } from '@tapedeck/tapedeck/vite';
      import { tapedeckTest as vitestTest } from '@tapedeck/tapedeck/vitest';
      const options: ServerOptions = { cassette: ['a'], record: 'new', device: 'http://d', rerecord: 'x*', overlays: 'o', serve: 'dist', args: ['--page'],
        bind: 'nonce', effects: true };
      const server = await start({ ...options, scope: 's' });
      const tape = await server.test('one');
      const entries: JournalEntry[] = await tape.requests({ outcome: 'miss' });
      const once: Expected = { count: entries.length };
      await tape.assertCalled('A/get', once);
      const rule: Overlay = { call: 'A/1/get', error: 105 };
      await tape.overlay(rule);
      await tape.fault('close');
      const held = await tape.hold('Core.Share/list');
      const let_go: number = await held.release({ error: 105 });
      const status: number | null = await server.stop();
      const name: string = findProgram() + scopeName('x') + server.output + status;
      const run = nodeTest(options);
      for (const one of [run, run.skip, run.only, run.todo]) one(name, { timeout: 1 }, async (own, t) => { t.diagnostic(own.url); });
      run.todo('later');
      vitestTest(options)('one', async ({ tape: own }) => { await own.clearOverlays(); });
      defineConfig({ use: { tapedeck: options } });
      // @ts-expect-error
      defineConfig({ use: { tapedeck: { casette: 'a' } } });
      test('one', async ({ page, tape: own }) => { await page.goto('/'); expect(own.run).toBe(1); });
      export default { plugins: [tapedeck({ ...options, paths: ['/webapi'] })] };
      // @ts-expect-error
      await start({ casette: 'a' });
      // @ts-expect-error
      await tape.fault('boom');
      // @ts-expect-error
      const wrong: ServerOptions = { record: 'some' };
      // @ts-expect-error
      run('no body');
    `);
    // The configurations of the recipe, as they are.
    const recipe = readFileSync(join(root, 'docs/recipes/front-end.md'), 'utf8');
    const files = [...recipe.matchAll(/```js run=(\S+\.config)\.m?js\n(.*?)\n```/gs)].map(([, name, text], i) => {
      writeFileSync(join(bench.folder, `${name}-${i}.mts`), text);
      return join(bench.folder, `${name}-${i}.mts`);
    });
    assert.ok(files.length >= 4, String(files));
    const program = ts.createProgram([file, ...files], compilerOptions);
    const said = ts.getPreEmitDiagnostics(program).map((one) => `${one.file?.fileName}:${one.start} ${ts.flattenDiagnosticMessageText(one.messageText, '\n')}`);
    assert.deepEqual(said, []);
  },
  'modules and classes have what their types say, and nothing else': () => {
    const ours = { index: ['RunningTape', 'Tape'] }; // declared, but only made by start()
    for (const entry of entries) {
      const declared = valuesOf(join(folder, `${entry}.d.ts`)).filter((name) => !ours[entry]?.includes(name));
      assert.deepEqual(valuesOf(join(folder, `${entry}.js`)), declared, entry);
    }
    assert.deepEqual(membersOf(join(folder, 'lib/tape.js'), 'Tape'), membersOf(join(folder, 'index.d.ts'), 'Tape'));
    assert.deepEqual(membersOf(join(folder, 'index.js'), 'RunningTape'), membersOf(join(folder, 'index.d.ts'), 'RunningTape'));
  },
  'options become those of the program, and what it cannot use is named': async () => {
    const { start } = await import(join(folder, 'index.js'));
    const { Server } = await import(join(folder, 'lib/server.js'));
    const program = join(bench.folder, 'program');
    writeFileSync(program, '#!/bin/sh\necho "$@" | sed "s/ --listen.*//"\n', { mode: 0o755 });
    const all = { cassette: 'a', overlays: 'o', effects: true, bind: 'nonce', device: 'http://d', program };
    const mine = ['overlays', 'effects', 'bind'];
    for (const [record, words, leftOut] of [
      [undefined, 'replay --exit-with-stdin --overlay o --effects --bind nonce a', []],
      ['new', 'record --mode new --device http://d --exit-with-stdin --overlay o --bind nonce a', ['effects']],
      ['once', 'record --mode once --device http://d --exit-with-stdin --overlay o a', ['effects', 'bind']],
      ['all', 'record --device http://d --exit-with-stdin a', mine],
    ]) {
      const said = [];
      await assert.rejects(Server.start({ ...all, record }, (line) => said.push(line)), { message: `Tapedeck did not start: ${words}` });
      assert.deepEqual(said, leftOut.map((name) => `[tapedeck] ${name}: left out with record: '${record}'`));
    }
    await assert.rejects(start({ record: 'some' }), /record must be "none", "all"/);
    Object.assign(process.env, { TAPEDECK_URL: 'http://u', TAPEDECK_CONTROL_URL: 'http://c', TAPEDECK_TOKEN: 't', TAPEDECK_CASSETTES: 'a' });
    const said = [];
    assert.equal((await Server.start({ ...all, cassette: 'b' }, (line) => said.push(line))).url, 'http://u');
    for (const name of Object.keys(process.env).filter((one) => one.startsWith('TAPEDECK_'))) delete process.env[name];
    assert.deepEqual(said.map((line) => line.replace(/:.*/, '')), ['[tapedeck] ignoring b', `[tapedeck] ignoring ${mine.join(', ')}`]);
  },
  'the server knows each member of an overlay, and the types each member of a journal entry': async () => {
    const replay = await bench.server('replay', '--control', '127.0.0.1:0');
    const { control, token } = replay.values;
    const send = (path, body) => fetch(control + path, { method: body ? 'POST' : 'GET', body: body && JSON.stringify(body),
      headers: { 'X-Tapedeck-Token': token, 'Content-Type': 'application/json' } });
    const errorFor = async (member) => (await send('/overlays', { set: 'types', overlays: [{ call: 'A/1/get', [member]: null }] })).text();
    assert.match(await errorFor('nosuch'), /unknown key/);
    for (const member of membersOf(join(folder, 'index.d.ts'), 'Overlay')) {
      assert.doesNotMatch(await errorFor(member), /unknown key/, member);
    }
    await send('/overlays', { set: 'types', overlays: [{ call: 'SYNO.A/1/get', data: {} }] });
    for (const query of ['api=SYNO.A&version=1&method=get', 'api=SYNO.API.Info&version=1&method=query', 'api=SYNO.B&version=1&method=get', 'x=1']) {
      await fetch(`${replay.url}/webapi/entry.cgi?${query}`, { headers: { 'X-Tapedeck-Scope': 'one' } });
    }
    const { entries: seen } = await (await send('/journal')).json();
    assert.equal(seen.length, 4);
    const known = membersOf(join(folder, 'index.d.ts'), 'JournalEntry');
    for (const member of seen.flatMap(Object.keys)) assert.ok(known.includes(member), `JournalEntry has no ${member}`);
    await bench.stop(replay);
  },
});
