/**
 * Which suites there are, and in which lane each runs.
 * `every`: with each change. `full`: nightly, before a release, and with a change of a path that `covers` names.
 */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/**
 * Client suites of the full lane alone: repeated rounds, real tools of other projects, and long waits for a clock.
 * `covers` are prefixes of paths below the repository's root.
 */
const fullClientSuites = {
  'backup_rounds.test.mjs': ['backup/', 'tests/client/backup_rounds'],
  'openid_conformance.test.mjs': ['gateway/src/auth/', 'tests/client/openid_conformance'],
  's3_tools.test.mjs': ['storage/src/s3/', 'tests/s3-tools/', 'tests/client/s3_tools'],
  'upgrade.test.mjs': ['sql/src/embedded/', 'tests/client/upgrade'],
  'upgrade_killed.test.mjs': ['sql/src/embedded/', 'tests/client/upgrade'],
}

/** Seconds of the slowest client suites, the longest first: they start first, so that none is left alone at the end. */
const longest = []

/** The client suites, in the order in which they start. */
export function clientSuites() {
  const order = new Map(longest.map((name, index) => [name, index]))
  const place = (name) => order.get(name) ?? longest.length
  return readdirSync(join(root, 'tests/client'))
    .filter((name) => name.endsWith('.test.mjs'))
    .sort((a, b) => place(a) - place(b) || a.localeCompare(b))
    .map((name) => ({ name, file: join(root, 'tests/client', name), covers: fullClientSuites[name] }))
}

/** Suites of the full lane that are commands of their own. */
export const commandSuites = [
  {
    name: 'table REST beside PostgREST',
    command: ['scripts/test-rest'],
    covers: ['sql/src/rest/', 'sql/src/schema_cache/', 'tests/differential/'],
  },
  { name: 'a cluster that loses parts', command: ['scripts/test-cluster'], covers: ['tests/cluster/'] },
]

/** PostgreSQL's major versions that the full lane runs the database tests with, beside the one that is installed. */
export const otherPostgresVersions = [16, 17, 18]

/** Whether a suite runs: in the full lane all do. */
export const runs = (suite, { full, changed }) =>
  full || suite.covers === undefined || changed.some((path) => suite.covers.some((prefix) => path.startsWith(prefix)))
