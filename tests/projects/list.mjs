/** The list of public projects for the test, and the folder that contains these projects. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

export const root = process.env.CLOCH_PROJECTS ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cloch/projects')

/**
 * `folder`: the project's folder in its repository. `types`: the committed types of its database. `expected`: the reason why the project does not
 * start on Supabase either, if reading its files has shown this.
 * @returns {{ repository: string, commit: string, folder: string, kinds: string[], types?: string, expected?: string }[]}
 */
export const listed = () => JSON.parse(readFileSync(join(import.meta.dirname, 'projects.json'), 'utf8'))

export const folderOf = (repository) => join(root, repository.replace('/', '__'))
