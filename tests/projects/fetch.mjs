/**
 * Downloads the public projects in projects.json at the listed commits: `node tests/projects/fetch.mjs [owner/name ...]`. They are stored in the
 * folder CLOCH_PROJECTS, by default ~/.cache/cloch/projects, and are not part of this repository.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'

import { folderOf, listed, root } from './list.mjs'

const wanted = process.argv.slice(2)
mkdirSync(root, { recursive: true })
let failed = 0
for (const { repository, commit } of listed().filter(({ repository }) => wanted.length === 0 || wanted.includes(repository))) {
  const folder = folderOf(repository)
  if (existsSync(folder)) continue
  const git = (...words) => execFileSync('git', ['-C', folder, ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    mkdirSync(folder)
    git('init', '--quiet')
    git('fetch', '--quiet', '--depth', '1', `https://github.com/${repository}`, commit)
    git('checkout', '--quiet', '--detach', 'FETCH_HEAD')
    console.log(`${repository}: fetched`)
  } catch (error) {
    failed += 1
    execFileSync('rm', ['-rf', folder])
    console.error(`${repository}: ${error.stderr ?? error.message}`)
  }
}
process.exit(failed === 0 ? 0 : 1)
