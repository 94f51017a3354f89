/** The paths that a change contains, by which its suites are chosen. */
import { execFileSync } from 'node:child_process'

import { root } from './suites.mjs'

/** Name of the reference to the last commit whose tests of every change passed in this repository. */
const GREEN = 'refs/cloch/green'

const git = (...words) => {
  try {
    return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

/**
 * Paths that differ from the change's base, committed or not. The base is `CLOCH_TEST_BASE`; without it, the last commit whose tests passed in this
 * repository, if this commit descends from it.
 * @returns {{ base: string | undefined, paths: string[] | undefined }} without a base no paths
 */
export function changedPaths() {
  const base = process.env.CLOCH_TEST_BASE || greenAncestor()
  if (base === undefined) return { base, paths: undefined }
  const committed = git('diff', '--name-only', '--no-renames', base)
  if (committed === undefined) throw new Error(`CLOCH_TEST_BASE=${base} is no commit of this repository`)
  const untracked = git('ls-files', '--others', '--exclude-standard') ?? ''
  return { base, paths: [...committed.split('\n'), ...untracked.split('\n')].filter(Boolean) }
}

function greenAncestor() {
  const commit = git('rev-parse', '--verify', '--quiet', GREEN)
  return commit !== undefined && git('merge-base', '--is-ancestor', commit, 'HEAD') !== undefined ? commit : undefined
}

/** Records that the tests of this commit passed, unless there are changes that are not committed. */
export function recordGreen() {
  if (git('status', '--porcelain') === '') git('update-ref', GREEN, 'HEAD')
}
