/** The Deno program for this system. npm has installed it for these tests. */
import { createRequire } from 'node:module'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

const scope = join(dirname(createRequire(import.meta.url).resolve('deno/package.json')), '../@deno')
const [system] = readdirSync(scope)

/** The program's path. */
export const deno = join(scope, system, 'deno')
