/** The changed paths. The runner selects the suites by these paths. */
import { execFileSync } from 'node:child_process'

import { root } from './suites.mjs'

/** Name of the git reference to the last commit in this repository for which the tests of every change have passed. */
const GREEN = 'refs/cloch/green'

const git = (...words) => {
  try {
    return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

/**
 * Returns the paths that differ from the change's base, committed or not. The base is `CLOCH_TEST_BASE`. If this is not set, it is the last commit in
 * this repository for which the tests have passed, if the present commit descends from that one.
 * @returns {{ base: string | undefined, paths: string[] | undefined }} without a base, there are no paths
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

/** Records that the tests of this commit have passed, unless there are uncommitted changes. */
export function recordGreen() {
  if (git('status', '--porcelain') === '') git('update-ref', GREEN, 'HEAD')
}
