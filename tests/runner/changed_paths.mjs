/** The paths that a change touches, for choosing its suites. */
import { execFileSync } from 'node:child_process'

import { root } from './suites.mjs'

const git = (...words) => {
  try {
    return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

/**
 * Paths that differ from the change's base, committed or not. The base is `CLOCH_TEST_BASE`; without it, where this branch left
 * `origin/main`; where it did not leave it, the commit before.
 * @returns {{ base: string | undefined, paths: string[] }} without a base (no git, no commit before) no paths
 */
export function changedPaths() {
  const head = git('rev-parse', 'HEAD')
  const branched = git('merge-base', 'HEAD', 'origin/main')
  const base = process.env.CLOCH_TEST_BASE ?? (branched !== head && branched !== undefined ? branched : git('rev-parse', 'HEAD~1'))
  if (base === undefined) return { base, paths: [] }
  const committed = git('diff', '--name-only', base)
  if (committed === undefined) throw new Error(`CLOCH_TEST_BASE=${base} is no commit of this repository`)
  const untracked = git('ls-files', '--others', '--exclude-standard') ?? ''
  return { base, paths: [...committed.split('\n'), ...untracked.split('\n')].filter(Boolean) }
}
