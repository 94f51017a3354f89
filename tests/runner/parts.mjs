/**
 * The parts of the repository. Some suites test only one part; they are listed with this part. If a change affects only paths in such parts, the
 * runner runs the suites of these parts, and all suites that are not listed with a part. If it affects any other path (the database, the
 * configuration, dependencies, code that tests share), the runner runs all suites.
 */

/**
 * `paths`: prefixes of paths below the root of the repository. `crate`: the tests of this crate run, and the tests of the crates that use it.
 * `suites`: prefixes of the paths of suites below `tests/` that test nothing but this part. A suite of several parts runs with each of them.
 * @type {{ paths: string[], crate?: string, suites: string[] }[]}
 */
export const parts = [
  { paths: ['gateway/src/acme/'], crate: 'cloch', suites: ['client/acme'] },
  {
    paths: ['gateway/auth/'],
    crate: 'cloch-auth',
    suites: ['client/auth', 'client/custom_providers', 'client/mail_links', 'client/oauth', 'client/third_party', 'browser/auth', 'oracles/gotrue'],
  },
  { paths: ['gateway/realtime/'], crate: 'cloch-realtime', suites: ['client/realtime', 'client/school_class', 'client/examples_chat', 'oracles/postgres_changes'] },
  { paths: ['gateway/src/command/', 'gateway/src/doctor/', 'packaging/'], crate: 'cloch', suites: ['client/data_folder', 'client/db_commands', 'client/doctor', 'client/messages', 'client/moving', 'client/operations', 'client/packages'] },
  { paths: ['gateway/src/management/', 'gateway/src/mcp/'], crate: 'cloch', suites: ['client/cli_keys', 'client/management', 'client/mcp'] },
  { paths: ['gateway/src/dashboard/', 'web/dashboard/'], crate: 'cloch', suites: ['client/dashboard', 'client/operators_guarded', 'client/why', 'browser/dashboard', 'browser/functions'] },
  { paths: ['backup/'], crate: 'cloch-backup', suites: ['client/backup', 'client/messages', 'client/restore', 'client/moving'] },
  {
    paths: ['storage/'],
    crate: 'cloch-storage',
    suites: ['client/crashes', 'client/durability', 'client/s3', 'client/slow_clients', 'client/storage', 'oracles/http_conditions', 'oracles/s3', 'oracles/storage_api', 'oracles/strip_metadata'],
  },
  { paths: ['sql/rest/'], crate: 'cloch-rest', suites: ['client/rest', 'client/why', 'oracles/schema_changes'] },
  { paths: ['sql/attach/'], crate: 'cloch-sql', suites: ['client/attach'] },
  { paths: ['sql/hooks/'], crate: 'cloch-sql', suites: ['client/role_postgres', 'client/platform_tables', 'client/event_triggers'] },
  { paths: ['gateway/src/transfer/'], crate: 'cloch', suites: ['client/hostile_folders', 'client/import_privileges', 'client/moving'] },
  { paths: ['functions/src/'], crate: 'cloch-functions', suites: ['client/function_', 'client/functions_corpus', 'client/own_functions', 'client/hostile_folders', 'browser/functions'] },
  { paths: ['functions/club/', 'supabase-config/', 'web/club/'], crate: 'cloch-club', suites: ['client/club', 'client/functions.', 'client/story', 'browser/back-office', 'browser/story', 'browser/visitor'] },
  {
    paths: ['docs/', 'web/docs/', 'examples/', 'changelog.d/', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'GOVERNANCE.md', 'SECURITY.md'],
    crate: 'cloch',
    suites: ['client/docs', 'client/examples', 'browser/docs', 'browser/examples'],
  },
  { paths: ['tests/docs/'], suites: ['client/docs'] },
  { paths: ['tests/messages/'], suites: ['client/messages'] },
  { paths: ['tests/functions-corpus/'], suites: ['client/functions_corpus'] },
  { paths: ['tests/oracles/'], suites: ['oracles/gotrue', 'oracles/http_conditions', 'oracles/postgres_changes', 'oracles/s3', 'oracles/schema_changes', 'oracles/storage_api', 'oracles/strip_metadata'] },
  { paths: ['tests/browser/support/'], suites: ['browser/'] },
  // The suites of these paths belong to no part, or run only in a full run and list the paths themselves (suites.mjs).
  {
    paths: ['bench/', 'tests/clients/', 'tests/cluster/', 'tests/compatibility/', 'tests/differential/', 'tests/own-suites/', 'tests/projects/', 'tests/runner/', 'tests/s3-tools/', 'tests/upgrades/'],
    suites: [],
  },
]

/**
 * Suites that check how pages look, and whether everybody can use them: axe, widths, text sizes. They depend on the web apps and their content only.
 * If only the server has changed, they do not run: the other browser suites test the pages with the changed server.
 */
export const appearance = {
  paths: ['web/', 'supabase-config/', 'tests/browser/', 'tests/playwright.config.ts', 'tests/package-lock.json'],
  suites: [
    'browser/back-office/accessibility',
    'browser/back-office/states',
    'browser/back-office/windows',
    'browser/dashboard/density',
    'browser/dashboard/windows',
    'browser/visitor/drawn',
    'browser/visitor/large-text',
    'browser/visitor/layout',
    'browser/visitor/scroll-regions',
    'browser/visitor/states',
    'browser/visitor/zoom',
  ],
}

const isSuite = (path) => /^tests\/(client|oracles|browser\/[\w-]+)\/[\w-]+\.(test\.mjs|spec\.ts)$/.test(path)
const isBelow = (path, prefixes) => prefixes.some((prefix) => path.startsWith(prefix))

/**
 * Determines which tests a change needs.
 * @param {string[] | undefined} changed the changed paths; undefined if they are not known
 * @returns {{ everything: boolean, runs: (suite: string) => boolean, crates: string[] }} `runs`: returns whether a suite, given by its path below
 * `tests/`, runs; `crates`: the crates whose tests run, together with the tests of the crates that use them
 */
export function concern(changed) {
  // A changed suite runs, but it does not make other suites run.
  const code = changed?.filter((path) => !isSuite(path))
  const touched = parts.filter(({ paths }) => code?.some((path) => isBelow(path, paths)))
  const everything = code === undefined || code.some((path) => !parts.some(({ paths }) => isBelow(path, paths)))
  const changesAppearance = changed === undefined || changed.some((path) => isBelow(path, appearance.paths))
  const runs = (suite) => {
    if (isBelow(suite, appearance.suites) && !changesAppearance) return false
    const own = parts.filter(({ suites }) => isBelow(suite, suites))
    return everything || own.length === 0 || own.some((part) => touched.includes(part)) || changed.includes(`tests/${suite}`)
  }
  return { everything, runs, crates: [...new Set(touched.map(({ crate }) => crate))].filter((crate) => crate !== undefined) }
}
