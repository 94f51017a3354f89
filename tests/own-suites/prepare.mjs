/**
 * Downloads what the suites need: the sources of supabase-py at one commit, and a Python with the packages of requirements.txt. Both are stored in
 * ~/.cache/cloch/own-suites and are not part of this repository. CLOCH_SUPABASE_PY and CLOCH_OWN_SUITES_PYTHON set other paths.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const repository = 'https://github.com/supabase/supabase-py'
/** The newest commit with tests that is known here: release 2.30.0. The packages of later releases contain no tests. */
const commit = '602765fbdf9e471a3241f44a479c1cfff1a8fe65'

/** A download that takes longer has failed. */
const MAX_DOWNLOAD_MILLISECONDS = 10 * 60_000

export const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cloch/own-suites')
const requirements = join(import.meta.dirname, 'requirements.txt')

/** Thrown if a download has failed. Then the suites cannot run on this machine. */
export class NotAvailable extends Error {}

/**
 * Returns a folder of the cache. If the folder does not exist, `fill` first downloads its content. If the download is incomplete, it is deleted.
 * @param {string} name
 * @param {(folder: string, run: (command: string, ...words: string[]) => string) => void} fill `run` executes a command and returns its output
 */
export function cached(name, fill) {
  const folder = join(cache, name)
  if (existsSync(join(folder, 'complete'))) return join(folder, 'complete')
  mkdirSync(folder, { recursive: true })
  const draft = mkdtempSync(join(folder, 'draft-'))
  try {
    fill(draft, (command, ...words) => execFileSync(command, words, { cwd: draft, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', maxBuffer: 1 << 28, timeout: MAX_DOWNLOAD_MILLISECONDS }))
    renameSync(draft, join(folder, 'complete'))
  } catch (error) {
    throw new NotAvailable(`${name} could not be downloaded: ${String(error.stderr || error.message).trim()}`)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return join(folder, 'complete')
}

/** Returns the folder with the sources of supabase-py. */
export function sources() {
  if (process.env.CLOCH_SUPABASE_PY) return process.env.CLOCH_SUPABASE_PY
  return cached(`supabase-py-${commit}`, (folder, run) => {
    run('git', 'init', '--quiet', folder)
    run('git', '-C', folder, 'fetch', '--quiet', '--depth', '1', repository, commit)
    run('git', '-C', folder, 'checkout', '--quiet', '--detach', 'FETCH_HEAD')
  })
}

/**
 * Returns the path of a Python with the packages of requirements.txt. Only `python -m` works, because the environment was moved after its creation.
 */
export function python() {
  if (process.env.CLOCH_OWN_SUITES_PYTHON) return process.env.CLOCH_OWN_SUITES_PYTHON
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16)
  const packages = cached(`python-${version}`, (folder, run) => {
    run('python3', '-m', 'venv', join(folder, 'environment'))
    run(join(folder, 'environment/bin/python'), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements)
  })
  return join(packages, 'environment/bin/python')
}
