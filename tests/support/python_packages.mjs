/** Packages of PyPI that are installed for one run of the full lane, into a folder of their own. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

export const python = process.env.CLOCH_TEST_PYTHON ?? 'python3'

/**
 * Installs packages into a temporary folder.
 * @param {string} name name of the folder
 * @param {string[]} packages the packages with their versions
 * @returns the environment in which Python finds the packages, and `remove()`
 */
export function installPythonPackages(name, packages) {
  const folder = mkdtempSync(join(tmpdir(), `cloch-${name}-`))
  const words = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--root-user-action=ignore', '--no-compile', '--retries=5', '--target', folder, ...packages]
  execFileSync(python, words, { stdio: ['ignore', 'inherit', 'inherit'], timeout: 500_000 })
  const paths = [folder, join(import.meta.dirname, '../clients/python')]
  const environment = { ...process.env, PYTHONPATH: paths.join(delimiter), PYTHONDONTWRITEBYTECODE: '1' }
  return { environment, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
