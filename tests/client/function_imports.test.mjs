/**
 * Functions that import files from outside their folder: from other functions, from folders beside `functions`, and from other packages of the
 * repository. The Supabase CLI bundles all files that imports reach. Here, a function can read the same files, and no others.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'

import { deno } from '../support/deno.mjs'
import { binary, makeProject, removePlace, sleep, start } from '../support/program.mjs'

const environment = { CLOCH_DENO: deno }
const serving = (imports, expression) => `${imports}\nDeno.serve(async () => Response.json(await (${expression})));`
const attempt = `const attempt = (file: string) => Deno.readTextFile(new URL(file, import.meta.url)).then(() => "read", (error) => error.name);`
/** The files of the project. */
const files = {
  'functions/sibling/index.ts': serving('import { word } from "../other/lib/word.ts";', 'word'),
  'functions/other/index.ts': 'Deno.serve(() => new Response("other"));',
  'functions/other/lib/word.ts': 'import { upper } from "./upper.ts"; export const word = upper("sibling");',
  'functions/other/lib/upper.ts': 'export const upper = (text: string) => text.toUpperCase();',
  'functions/other/.env': 'OF_OTHER=secret\n',
  'functions/utils/text.ts': 'export const text = "utils";',
  'functions/plain/index.ts': serving('import { text } from "../utils/text.ts";', 'text'),
  'lib/side.ts': 'export const side = "beside functions";',
  'functions/beside/index.ts': serving('import { side } from "../../lib/side.ts";', 'side'),
  'functions/monorepo/deno.json': JSON.stringify({ imports: { '@acme/words': '../../../packages/words/src/mod.ts', '@acme/words/': '../../../packages/words/src/' } }),
  'functions/monorepo/index.ts': serving(
    'import { words } from "@acme/words"; import data from "../../../packages/words/data.json" with { type: "json" };',
    'import("@acme/words/late.ts").then(({ late }) => [words, data.version, late])',
  ),
  'functions/workspace/package.json': JSON.stringify({ dependencies: { '@acme/shared': 'workspace:*', '@acme/unused': 'workspace:^', unused: 'catalog:none' } }),
  'functions/workspace/index.ts': serving(
    'import { shared } from "@acme/shared"; import { part } from "@acme/shared/deep/part";',
    'import("@acme/plain/side.ts").then(({ side }) => [shared, part, side])',
  ),
  'functions/deno_workspace/index.ts': serving('import { mod } from "@acme/deno"; import { leaf } from "@acme/deno/leaf"; import { root } from "root";', '[mod, leaf, root]'),
  'functions/missing/package.json': JSON.stringify({ dependencies: { '@acme/nothing': 'workspace:*' } }),
  'functions/missing/index.ts': serving('import "@acme/nothing";', '1'),
  'functions/private/index.ts': serving('import "@acme/shared/internal/secret";', '1'),
  'functions/needs_broken/index.ts': serving('import "@acme/broken";', '1'),
  'functions/unbuilt/index.ts': serving('import "@acme/unbuilt";', '1'),
  'functions/sloppy/deno.json': JSON.stringify({ unstable: ['sloppy-imports'] }),
  'functions/sloppy/index.ts': serving('import { part } from "./part";', 'part'),
  'functions/sloppy/part.ts': 'export const part = "without an extension";',
  'functions/strict/index.ts': serving('import { part } from "../sloppy/part";', 'part'),
  'functions/commonjs/package.json': JSON.stringify({ type: 'commonjs' }),
  'functions/commonjs/index.js': serving('const { part } = require("./part.js");', 'part'),
  'functions/commonjs/part.js': 'module.exports = { part: "by require" };',
  'functions/reader/index.ts': serving(
    `import { words } from "../../../packages/words/src/mod.ts"; ${attempt}`,
    'Promise.all(["../../../packages/words/src/mod.ts", "../../../packages/words/src/late.ts", "../../../packages/words/src", "../other/lib/word.ts", "../other/.env"].map(attempt))',
  ),
}
/** The files of other packages in the repository. */
const packages = {
  'packages/words/src/mod.ts': 'import { first } from "./first.ts"; export const words = `${first} version`;',
  'packages/words/src/first.ts': 'export const first = "first";',
  'packages/words/src/late.ts': 'export const late = "late";',
  'packages/words/data.json': '{ "version": 1 }',
  // Deno itself would read the workspaces around the data folder, and some of these files would make it fail.
  'package.json': JSON.stringify({ private: true, workspaces: ['packages/*', '../../*', '/etc'] }),
  'packages/shared/package.json': JSON.stringify({
    name: '@acme/shared',
    exports: { '.': { types: './none.d.ts', import: './src/index.ts' }, './*': './src/*.ts', './internal/*': null },
    imports: { '#own': './src/deep/part.ts' },
    dependencies: { '@acme/plain': '*' },
  }),
  'packages/shared/src/index.ts': 'import { plain } from "@acme/plain"; import { part } from "#own"; export const shared = `shared ${part} and ${plain}`;',
  'packages/shared/src/deep/part.ts': 'export const part = "part";',
  'packages/shared/src/internal/secret.ts': '',
  'packages/plain/package.json': JSON.stringify({ name: '@acme/plain', main: 'lib/main' }),
  'packages/plain/lib/main.ts': 'export const plain = "plain";',
  'packages/plain/side.ts': 'export const side = "side";',
  'packages/plain/.env': 'OF_PLAIN=secret',
  'packages/unbuilt/package.json': JSON.stringify({ name: '@acme/unbuilt', exports: './dist/index.js' }),
  'packages/broken/package.json': '{',
  'pnpm-workspace.yaml': 'catalog:\n  zod: 3.1\n',
  'deno.json': JSON.stringify({ workspace: ['./packages/deno', './packages/broken-deno'], imports: { root: './packages/deno/root.ts' } }),
  'packages/deno/deno.json': JSON.stringify({ name: '@acme/deno', exports: { '.': './mod.ts', './leaf': './src/leaf.ts' }, imports: { '#own': './src/leaf.ts' } }),
  'packages/deno/mod.ts': 'import { leaf } from "#own"; import { root } from "root"; export const mod = `deno ${leaf} ${root}`;',
  'packages/deno/src/leaf.ts': 'export const leaf = "leaf";',
  'packages/deno/root.ts': 'export const root = "root";',
  'packages/broken-deno/deno.json': '{',
}
const names = [...new Set(Object.keys(files).flatMap((file) => file.match(/^functions\/(\w+)\/index/)?.slice(1) ?? [])), 'far']

let place
let cloch
const write = (base, name, text) => {
  mkdirSync(dirname(join(base, name)), { recursive: true })
  writeFileSync(join(base, name), text)
}
before(async () => {
  const far = { 'functions/far/index.ts': serving('import "../../../../elsewhere.ts";', '1') }
  place = await makeProject({ from: null, files: { ...files, ...far }, change: (text) => text + names.map((name) => `[functions.${name}]\nverify_jwt = false\n`).join('') })
  for (const [name, text] of Object.entries(packages)) write(place.folder, name, text)
  write(dirname(place.folder), 'elsewhere.ts', '')
  cloch = await start(place, { environment })
})
after(async () => {
  rmSync(join(dirname(place.folder), 'elsewhere.ts'), { force: true })
  await cloch?.remove()
})

const call = async (name) => {
  const response = await fetch(`${cloch.url}/functions/v1/${name}`)
  const text = await response.text()
  return response.ok ? JSON.parse(text) : [response.status, text]
}
const eventually = async (find, expected) => {
  let found
  for (let tries = 0; tries < 200; tries++) {
    found = await find()
    if (JSON.stringify(found) === JSON.stringify(expected)) return
    await sleep(50)
  }
  assert.deepEqual(found, expected)
}

test('a function imports files of other functions, and files beside functions', async () => {
  assert.equal(await call('sibling'), 'SIBLING')
  assert.equal(await call('plain'), 'utils')
  assert.equal(await call('beside'), 'beside functions')
})

test('a function imports packages of its repository, by an import map, as JSON and while it runs', async () => {
  assert.deepEqual(await call('monorepo'), ['first version', 1, 'late'])
})

test('a function imports packages of the workspace by name, and they import each other', async () => {
  assert.deepEqual(await call('workspace'), ['shared part and plain', 'part', 'side'])
  assert.deepEqual(await call('deno_workspace'), ['deno leaf root', 'leaf', 'root'])
})

test('an unreadable file in a workspace is logged once and breaks no function that does not need it', async () => {
  for (const [place, reason] of [
    ['packages/broken', 'line 1'],
    ['packages/broken-deno', 'line 1'],
    ['pnpm-workspace.yaml', 'the version of .*zod.* in the catalog .*default.* is no text'],
    ['deno.json', '"../../\\*.*leads out of the folder of the workspace'],
    ['deno.json', '"/etc.*is not relative to the folder of the workspace'],
  ]) {
    const lines = cloch.output().split('\n').filter((line) => new RegExp(`part of a workspace skipped.* path=\\S*${place} reason=.*${reason.replace('"', '')}`).test(line))
    assert.equal(lines.length, 1, `${place} ${reason}: ${cloch.output()}`)
  }
})

test('the error for a missing import of the workspace contains the import and the reason', async () => {
  for (const [name, reason] of [
    ['missing', /the workspace has no package @acme\/nothing\. Searched: .*packages\/\*, .* of \S*deno\.json, \S*package\.json/s],
    ['private', /the package @acme\/shared in \S*packages\/shared exports @acme\/shared, /s],
    ['needs_broken', /the workspace has no package @acme\/broken\. .*Skipped: \S*packages\/broken: /s],
    ['unbuilt', /packages\/unbuilt\/dist\/index\.js/s],
  ]) {
    assert.equal((await call(name))[0], 503)
    const at = cloch.output().indexOf(`function=${name} error=`)
    assert.match(cloch.output().slice(at).split('\n20')[0], reason)
  }
})

test('a function imports without extensions if its deno.json says so, and by require if its package.json does', async () => {
  assert.equal((await call('strict'))[0], 503)
  assert.equal(await call('sloppy'), 'without an extension')
  assert.equal(await call('commonjs'), 'by require')
})

test('the function can read the imported files and no other files', async () => {
  const [imported, ...others] = await call('reader')
  assert.equal(imported, 'read')
  assert.ok(others.every((name) => /^(NotCapable|PermissionDenied)$/.test(name)), String(others))
})

test('a file outside the repository is refused, and the log names it', async () => {
  const [status, text] = await call('far')
  assert.equal(status, 503)
  assert.match(text, /BOOT_ERROR/)
  assert.match(cloch.output(), /function=far error=it imports .*elsewhere\.ts, which is not among its files/)
})

test('a changed imported file is served by the next requests', async () => {
  write(place.folder, 'packages/words/src/first.ts', 'export const first = "second";')
  await eventually(() => call('monorepo'), ['second version', 1, 'late'])
  write(place.project, 'functions/other/lib/upper.ts', 'export const upper = (text: string) => `<${text}>`;')
  await eventually(() => call('sibling'), '<sibling>')
})

test('a changed package.json of the workspace is served by the next requests', async () => {
  write(place.folder, 'packages/plain/lib/other.ts', 'export const plain = "other";')
  write(place.folder, 'packages/plain/package.json', JSON.stringify({ name: '@acme/plain', main: 'lib/other.ts' }))
  await eventually(() => call('workspace'), ['shared part and other', 'part', 'side'])
})

test('several processes resolve the imports of the same functions at the same time', async () => {
  // If the import map did not replace this module, it would be downloaded.
  const code = 'import { serve } from "https://deno.land/std@0.168.0/http/server.ts"; serve(() => new Response("served"));'
  const several = await makeProject({ from: null, files: Object.fromEntries(['a', 'b', 'c'].map((name) => [`functions/${name}/index.ts`, code])) })
  const cache = () => promisify(execFile)(binary, ['functions', 'cache', '--project', several.project, '--data', several.data], { env: { ...process.env, ...environment } })
  try {
    const outputs = await Promise.all(Array.from({ length: 4 }, cache))
    for (const { stdout } of outputs) assert.equal(stdout, 'a: ready\nb: ready\nc: ready\n')
  } finally {
    removePlace(several)
  }
})

test('a deployed version contains the imported files, and a server without the repository serves it', async () => {
  for (const name of ['monorepo', 'workspace']) {
    const deployed = execFileSync(binary, ['functions', 'deploy', name, '--project', place.project, '--data', place.data], { env: { ...process.env, ...environment } })
    assert.match(deployed.toString(), new RegExp(`${name}: version 1`))
  }
  const version = (name) => join(place.data, 'functions/versions', name, '1')
  assert.deepEqual(readdirSync(join(version('monorepo'), 'packages/words/src')).sort(), ['first.ts', 'late.ts', 'mod.ts'])
  assert.deepEqual(readdirSync(join(version('monorepo'), 'packages')), ['words'])
  assert.deepEqual(readdirSync(join(version('workspace'), 'packages/plain'), { recursive: true }).sort(), ['lib', 'lib/other.ts', 'package.json', 'side.ts'])
  write(place.folder, 'packages/words/src/first.ts', 'export const first = "third";')
  const served = () => Promise.all(['monorepo', 'workspace'].map(call))
  const expected = [
    ['second version', 1, 'late'],
    ['shared part and other', 'part', 'side'],
  ]
  await eventually(served, expected)
  await cloch.stop()
  rmSync(join(place.folder, 'packages'), { recursive: true })
  cloch = await start(place, { environment })
  assert.deepEqual(await served(), expected)
})
