/**
 * Determines which keys of config.toml are supported. The server's warnings name unknown keys, and declarations in the server's source name keys
 * without effect.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = import.meta.dirname
export const configToml = readFileSync(join(folder, 'config_keys.toml'), 'utf8')
const declared = readFileSync(join(folder, '../../gateway/src/config/sections/config_toml.rs'), 'utf8')

/** The files to which the keys refer. */
export const files = {
  'templates/invite.html': '<p>{{ .ConfirmationURL }}</p>',
  'templates/password_changed_notification.html': '<p>changed</p>',
  'signing_keys.json': '[]',
  'functions/hello/index.ts': 'Deno.serve(async (request) => Response.json(await request.json()))',
  'functions/hello/deno.json': '{}',
  'images/.gitkeep': '',
}

/** Returns the keys of the file as `section.key`, and its sections without keys. */
export function keys() {
  let section = ''
  const found = []
  for (const line of configToml.split('\n')) {
    const [, opened] = /^\[(.+)\]$/.exec(line) ?? []
    const [, key] = /^(\w+) = /.exec(line) ?? []
    if (opened) found.push((section = opened))
    if (key) found.push(section ? `${section}.${key}` : key)
  }
  return found.filter((name) => !found.some((other) => other.startsWith(`${name}.`)))
}

/** Returns the keys and sections that the source declares to be without effect, with the reason. */
function withoutEffect() {
  const found = new Map()
  let section = ''
  const lines = declared.split('\n')
  lines.forEach((line, at) => {
    const [, opened] = /^\/\/\/ `\[([\w.]+)\]`/.exec(line) ?? []
    if (opened) section = `${opened}.`
    if (/^\/\/\/ The whole file/.test(line)) section = ''
    const [, reason] = /\/\/\/ (?:`\[\w+\]`, of|Of) no effect(?:: (.*?))?\.?$/.exec(line) ?? [undefined, undefined]
    const [, key] = /pub (\w+):/.exec(lines[at + 1] ?? '') ?? []
    if (/no effect/.test(line) && key) found.set(section + key, reason ?? 'no part of Cloch reads it')
  })
  return found
}

/** Returns a row for each key. `log`: output of a start with all keys. */
export function rows(log) {
  const ineffective = [...withoutEffect()]
  return keys().map((name) => {
    const covers = (key) => name === key || name.startsWith(`${key}.`)
    if ([...log.matchAll(/the key ([\w.-]+) is unknown/g)].some(([, key]) => covers(key))) return { name, status: 'not there', note: 'unknown: a warning at the start' }
    const [, reason] = ineffective.find(([key]) => covers(key)) ?? []
    return reason ? { name, status: 'no effect', note: reason } : { name, status: 'works', note: '' }
  })
}
