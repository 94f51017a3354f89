/**
 * The test suites, and the lane in which each suite runs. `every`: with each change. `full`: every night, before a release, and if a change affects a
 * path in `covers`.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/**
 * Client suites that run only in the full lane, because they repeat many rounds, need tools of other projects, or wait for a long time. `covers`:
 * prefixes of paths below the root of the repository.
 */
const fullClientSuites = {
  'backup_rounds.test.mjs': ['backup/', 'tests/client/backup_rounds'],
  // Installs Directus with a thousand packages.
  'directus.test.mjs': ['tests/client/directus'],
  // Executes the code of every page of the documentation, and installs packages from npm.
  'docs_blocks.test.mjs': [],
  // Downloads Go modules, and compiles them.
  'go_program.test.mjs': ['tests/client/go_program', 'tests/clients/go/module'],
  // Changes each setting of the dashboard, one after the other.
  'settings_proofs.test.mjs': [],
  // These suites install their packages from npm.
  'own_schemas.test.mjs': ['tests/client/own_schemas'],
  'more_clients.test.mjs': ['gateway/realtime/src/postgres_changes/message', 'gateway/src/management/', 'tests/client/more_clients'],
  'langchain.test.mjs': ['sql/platform/functions/cloch/vector_', 'sql/platform/functions/cloch/make_stand_in_vector', 'tests/client/langchain'],
  'openid_conformance.test.mjs': ['gateway/auth/src/', 'tests/client/openid_conformance'],
  'orms.test.mjs': ['tests/client/orms'],
  // Installs its packages from PyPI.
  'python_databases.test.mjs': ['tests/client/python_databases', 'tests/clients/python/asyncpg', 'tests/clients/python/llama', 'tests/clients/python/psycopg', 'tests/clients/python/sqlalchemy'],
  'runtimes.test.mjs': ['tests/client/runtimes', 'tests/clients/runtimes/'],
  'schema_tools.test.mjs': ['tests/client/schema_tools'],
  'supabase_packages.test.mjs': ['tests/client/supabase_packages'],
  'upload_clients.test.mjs': ['storage/src/s3/post_', 'storage/src/tus/', 'tests/client/upload_clients', 'tests/clients/runtimes/bun'],
  's3_tools.test.mjs': ['storage/src/s3/', 'tests/s3-tools/', 'tests/client/s3_tools'],
  // Installs zero-cache from npm.
  'sync_engines.test.mjs': ['sql/hooks/', 'tests/client/sync_engines'],
  'upgrade.test.mjs': ['sql/src/embedded/', 'tests/client/upgrade'],
  'upgrade_killed.test.mjs': ['sql/src/embedded/', 'tests/client/upgrade'],
}

/**
 * Suites that mostly wait (for time limits, for a reload of PostgREST, for a point in time), the slowest first. They run one after the other, at the
 * same time as the other suites.
 */
const waiting = ['acme', 'schema_changes', 'realtime_nodes', 'realtime_project_limits', 'realtime_longpoll', 'realtime_limits', 'realtime_sessions', 'drain'].map((name) => `${name}.test.mjs`)

/** The slowest of the other suites, the slowest first. They start first, so that none of them is the only running suite at the end. */
const slowest = ['why_matrix', 'auth', 's3', 'attach', 'backup_forged', 'hostile_folders', 'backup', 'operations', 'messages', 'restore', 'moving', 'backup_runs'].map((name) => `${name}.test.mjs`)

/** Returns the suites for Node's test runner, in the order in which they start. */
export function clientSuites() {
  const first = [...waiting, ...slowest]
  const place = (name) => (first.includes(name) ? first.indexOf(name) : first.length)
  return ['client', 'oracles', 'runner']
    .flatMap((folder) => files(join(root, 'tests', folder)))
    .sort((a, b) => place(a.name) - place(b.name) || a.name.localeCompare(b.name))
    .map((suite) => ({ ...suite, covers: fullClientSuites[suite.name], waits: waiting.includes(suite.name) }))
}

const files = (folder) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.test.mjs')).map((name) => ({ name, file: join(folder, name), path: relative(join(root, 'tests'), join(folder, name)) })) : []

/** Suites of the full lane that are separate commands. */
export const commandSuites = [
  {
    name: 'table REST beside PostgREST',
    command: ['scripts/test-rest'],
    covers: ['sql/rest/', 'sql/src/schema_cache/', 'tests/differential/'],
  },
  ...[
    ['schema_changes', 5000],
    ['postgres_changes', 10_000],
    ['http_conditions', 6000],
    ['strip_metadata', 1500],
    ['s3', 3000],
  ].map(([name, steps]) => ({
    name: `oracle ${name}, ${steps} steps`,
    command: ['node', '--test', `tests/oracles/${name}.test.mjs`],
    environment: { CLOCH_ORACLE_STEPS: `${steps}`, CLOCH_ORACLE_SEED: `${Math.floor(Math.random() * 2 ** 31)}` },
    // A run with fewer steps and a fixed seed is a client suite that runs with every change.
    covers: [],
  })),
  {
    name: 'oracle migration_text, 20000 files',
    command: ['scripts/with-postgres', 'cargo', 'nextest', 'run', '--workspace', '--all-features', '-E', 'test(/migration_text/)'],
    environment: { CLOCH_ORACLE_STEPS: '20000' },
    covers: [],
  },
  { name: 'the library cloch_hooks', command: ['scripts/test-hooks'], covers: ['sql/hooks/', 'scripts/build-hooks'] },
  // Downloads its tests from GitHub.
  { name: "supabase-py's own tests", command: ['node', 'tests/own-suites/run.mjs'], covers: ['tests/own-suites/'] },
  // Downloads libraries from GitHub.
  { name: 'programs of community clients', command: ['node', 'tests/own-suites/programs.mjs'], covers: ['tests/own-suites/programs', 'tests/clients/community/'] },
  // Downloads crates, and compiles their tests.
  { name: "the Rust crates' own tests", command: ['node', 'tests/own-suites/crates.mjs'], covers: [] },
  // Public projects that tests/projects/fetch.mjs has downloaded: their catalog after dump, restore and reset.
  { name: 'catalogs of public projects', command: ['node', 'tests/projects/run.mjs', '--restore'], covers: ['tests/projects/'] },
  // Databases of Supabase with these projects: compares the database before and after a start, with each kind of login.
  { name: 'public projects on databases of Supabase', command: ['node', 'tests/projects/attach.mjs'], covers: ['tests/projects/', 'sql/src/platform/attach'] },
  // Installs Lighthouse from npm.
  { name: "speed of the club's pages on a phone", command: ['node', 'tests/lighthouse/run.mjs'], covers: [] },
  { name: 'a cluster that loses parts', command: ['scripts/test-cluster'], covers: ['tests/cluster/'] },
]

/** Major versions of PostgreSQL on which the full lane runs the database tests, in addition to the installed version. */
export const otherPostgresVersions = [16, 17, 18]

/** Returns whether a suite of the full lane runs. In the full lane, all suites run. Otherwise only those run that cover a changed path. */
export const runsInFull = (suite, { full, changed }) => full || (changed ?? []).some((path) => suite.covers.some((prefix) => path.startsWith(prefix)))
