/**
 * Compares the resolution of imports from workspace packages with Node and Deno: `exports` in all forms, main modules, and the `exports` of
 * deno.json. npm installs the packages. If Node resolves an import, Cloch must resolve it to the same file; if `exports` hides a file from
 * Node, it must be hidden from functions too.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { deno } from '../support/deno.mjs'
import { binary } from '../support/program.mjs'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'cloch-exports-')))
const write = (name, text) => {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), text)
}
after(() => rmSync(root, { recursive: true, force: true }))

/** Files of each package. */
const files = ['a.js', 'b.js', 'index.js', 'src/x.js', 'src/deep/y.js', 'src/internal/z.js', 'src/lib/index.js', 'src/x.test.js', 'main/index.js', 'data.json']
/** Paths below a package's name that are imported. */
const subpaths = ['', '/a', '/a.js', '/b', '/x', '/x.js', '/deep/y', '/deep/y.js', '/internal/z', '/internal/z.js', '/src/x.js', '/src/x', '/lib', '/features/x', '/features/deep/y.js', '/nothing', '/package.json', '/data.json']
const targets = [
  './a.js', './src/x.js', '../up.js', './../up.js', './src/../a.js', './node_modules/a.js', '/etc/passwd', 'a.js', './none.js', null, false, 3, [], {},
  ['./a.js', './b.js'], ['../up.js', './b.js'], [null, './b.js'], ['./none.js', './b.js'], [{ browser: './a.js' }, './b.js'],
  { default: './a.js' }, { import: './a.js', require: './b.js' }, { require: './b.js', default: './a.js' }, { types: './a.d.ts', default: './b.js' },
  { deno: './a.js', default: './b.js' }, { default: './b.js', deno: './a.js' }, { node: './a.js', import: './b.js' }, { import: { node: './a.js', default: './b.js' } },
  { browser: './a.js' }, { deno: null, default: './b.js' }, { node: { require: './a.js' }, default: './b.js' }, { import: [null, { default: './b.js' }] }, { 'module-sync': './a.js', default: './b.js' },
]
const patterns = [
  { './*': './src/*.js' }, { './*': './*' }, { './*.js': './src/*.js' }, { './*': './src/*' }, { './features/*': './src/*' }, { './features/*.js': './src/*.js' },
  { './*': './src/*.js', './internal/*': null }, { './*': './src/*', './internal/*': null }, { './*': './src/*.js', './x': './b.js' }, { './*': './src/*.js', './deep/*': './*.js' },
  { './*': { import: './src/*.js', require: './none/*.js' } }, { './*': [null, './src/*.js'] }, { './*': './src/*/index.js' }, { './src/': './src/' }, { './*': './src/internal/../*.js' },
  { '.': './a.js', './package.json': './package.json' }, { '.': './a.js', './*': null }, { './x': './a.js' }, { './*': './src/*.js', './*.js': './src/*.js' }, { './*': './src/*.js', './x*': './b.js' },
]
const mains = [
  {}, { main: './a.js' }, { main: 'a.js' }, { main: 'a' }, { main: './main' }, { main: 'main/' }, { main: './none.js' }, { main: 'src/deep/y' }, { main: 'b.js', module: 'a.js', type: 'module' }, { exports: null }, { exports: null, main: './b.js' },
]
const manifests = [
  ...targets.map((exports) => ({ exports })), ...targets.map((target) => ({ exports: { '.': './b.js', './x': target } })),
  ...patterns.map((exports) => ({ exports })), ...mains,
].map((manifest, number) => ({ name: number % 2 ? `p${number}` : `@scope/p${number}`, version: '1.0.0', type: 'commonjs', ...manifest }))

/** The import of a specifier as Node, Deno and Cloch resolve it: the path of a file below the root, or null. */
const found = { node: new Map(), deno: new Map(), cloch: new Map() }
const specifiers = manifests.flatMap(({ name }) => subpaths.map((subpath) => `${name}${subpath}`))
const below = (url) => (url?.startsWith('file:') ? realOf(fileURLToPath(url)).replace(`${root}/`, '') : null)
/** npm has linked the packages into node_modules. */
const realOf = (path) => path.replace(/\/node_modules\/((?:@scope\/)?p\d+)\//, (_, name) => `/packages/${name.replace('@scope/', '')}/`)

/** Returns the resolved imports of a module by Deno. */
function byDeno(module, ...args) {
  const environment = { ...process.env, DENO_DIR: join(root, '.deno'), DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' }
  const { modules } = JSON.parse(execFileSync(deno, ['info', '--json', '--no-remote', '--no-lock', ...args, module], { cwd: root, env: environment, maxBuffer: 1 << 26 }))
  const own = modules.find(({ specifier }) => specifier.endsWith(module))
  return new Map(own.dependencies.map(({ specifier, code }) => [specifier, below(code?.specifier)]))
}

const manifestOf = (specifier) => manifests.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))

/**
 * Whether `exports` has a pattern that stands for one file. The import map contains the specifiers that the function imports, because it cannot
 * contain all of them.
 */
const hasPatternOfOneFile = (specifier) => /"[^"]*\*[^"]*":"[^"*]*"/.test(JSON.stringify(manifestOf(specifier)))

before(() => {
  write('package.json', JSON.stringify({ private: true, workspaces: ['packages/*'] }))
  for (const manifest of manifests) {
    const folder = `packages/${manifest.name.replace('@scope/', '')}`
    write(`${folder}/package.json`, JSON.stringify(manifest))
    for (const file of files) write(`${folder}/${file}`, file.endsWith('.json') ? '{}' : '')
  }
  for (const [name, exports] of [['one', './mod.ts'], ['two', { '.': './mod.ts', './x': './src/x.ts' }], ['three', { './x': './src/x.ts' }]]) {
    write(`denos/${name}/deno.json`, JSON.stringify({ name: `@deno/${name}`, version: '1.0.0', exports }))
    write(`denos/${name}/mod.ts`, '')
    write(`denos/${name}/src/x.ts`, '')
  }
  write('denos/deno.json', JSON.stringify({ workspace: ['./one', './two', './three'] }))
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--install-links=false'], { cwd: root })
  write('probe.mjs', `const found = {}
for (const specifier of ${JSON.stringify(specifiers)}) { try { found[specifier] = import.meta.resolve(specifier) } catch { found[specifier] = null } }
console.log(JSON.stringify(found))`)
  const node = execFileSync('node', ['--conditions=deno', '--no-warnings', 'probe.mjs'], { cwd: root, maxBuffer: 1 << 26 })
  found.node = new Map(Object.entries(JSON.parse(node)).map(([specifier, url]) => [specifier, below(url)]))
  write('probe.ts', specifiers.map((specifier) => `import "${specifier}";`).join('\n'))
  const cache = (project) => {
    const output = execFileSync(binary, ['functions', 'cache', '--project', join(root, project), '--data', join(root, 'data')], { env: { ...process.env, CLOCH_DENO: deno } })
    assert.match(output.toString(), /a: ready/)
    return join(root, 'data/functions/made/a.folder/own.json')
  }
  for (const project of ['supabase', 'denos/supabase']) {
    write(`${project}/config.toml`, 'project_id = "exports"\n')
    write(`${project}/functions/a/index.ts`, 'Deno.serve(() => new Response());')
  }
  const ofOneFile = [...found.node].filter(([specifier, file]) => file && exists(file) && hasPatternOfOneFile(specifier)).map(([specifier]) => specifier)
  assert.ok(ofOneFile.length > 0)
  write('supabase/functions/a/index.ts', [...ofOneFile.map((specifier) => `import "${specifier}";`), 'Deno.serve(() => new Response());'].join('\n'))
  mkdirSync(join(root, '.git'))
  found.cloch = byDeno('probe.ts', '--config', cache('supabase'))
  const wanted = ['one', 'two', 'three'].flatMap((name) => ['', '/x', '/mod.ts', '/src/x.ts'].map((subpath) => `@deno/${name}${subpath}`))
  write('denos/probe.ts', wanted.map((specifier) => `import "${specifier}";`).join('\n'))
  found.deno = byDeno('denos/probe.ts', '--config', 'denos/deno.json')
  found.denoByCloch = byDeno('denos/probe.ts', '--config', cache('denos/supabase'))
})

test('an import resolves to the file that Node resolves it to', () => {
  const resolved = [...found.node].filter(([, file]) => file)
  assert.ok(resolved.length > 300, String(resolved.length))
  const others = resolved.filter(([specifier, file]) => found.cloch.get(specifier) !== file && exists(file))
  assert.deepEqual(others.map(([specifier, file]) => [specifier, { node: file, cloch: found.cloch.get(specifier) }, JSON.stringify(manifestOf(specifier))]), [])
})

test('a file that is not in exports cannot be imported', () => {
  const hidden = [...found.node].filter(([specifier, file]) => !file && (manifestOf(specifier).exports ?? null) !== null)
  assert.ok(hidden.length > 500, String(hidden.length))
  const open = hidden.filter(([specifier]) => found.cloch.get(specifier) && exists(found.cloch.get(specifier)))
  assert.deepEqual(open.map(([specifier]) => [specifier, found.cloch.get(specifier), JSON.stringify(manifestOf(specifier))]), [])
})

test('packages of a Deno workspace resolve as in Deno', () => {
  assert.ok([...found.deno.values()].filter(Boolean).length >= 4)
  assert.deepEqual(Object.fromEntries(found.denoByCloch), Object.fromEntries(found.deno))
})

function exists(file) {
  try {
    return readFileSync(join(root, file)) !== undefined
  } catch {
    return false
  }
}
