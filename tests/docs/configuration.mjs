/**
 * Generates docs/configuration.md, which describes every key of cloch.toml. The generator reads the fields, doc comments and defaults from the source
 * of the Rust types that parse the file. rustfmt has formatted the source, so each line is an attribute, a comment or a field.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const SOURCES = [
  'gateway/src/config/sections/cloch_toml.rs',
  'gateway/src/config/sections/limits.rs',
  'gateway/src/config/sections/tls.rs',
  'gateway/src/config/sections/backup.rs',
  'gateway/src/config/sections/database.rs',
  'gateway/src/config/sections/storage.rs',
  'gateway/src/config/sections/telemetry.rs',
  'gateway/auth/src/third_party/mod.rs',
  'functions/src/settings/mod.rs',
  'functions/src/settings/ai.rs',
  'sql/src/advisors/ignore.rs',
]
/** In the type of the whole file, these sections are unparsed tables. The value: the name of the section, and the type that parses it. */
const READ_ELSEWHERE = { 'ClochToml.functions': ['functions.<name>', 'Options'], 'ClochToml.ai': ['ai', 'Ai'] }
/** Keys whose value is a word or a section. The value lists the words and the section's type. */
const WORD_OR_SECTION = { TlsSetting: ['"acme"', 'TlsSection'] }
/** Defaults that are defined in the source of another crate. */
const TAKEN = {
  KeepSection: ['backup/src/retention.rs', /Self \{ days: (\d+), weeks: (\d+), months: (\d+) \}/, ['days', 'weeks', 'months']],
}
const SWEEP = { sweep_interval: '3600', sweep_grace: '3600', sweep_uploads: '86400' }
const SWEEP_SOURCE = ['storage/src/settings.rs', 'let hour = Duration::from_secs(60 * 60);\n        Self { interval: hour, grace: hour, uploads: 24 * hour }']

const read = (path) => readFileSync(join(root, path), 'utf8')

/** Returns the types in a file by name: `{ doc, fields: [{ name, type, doc, hasDefault }], defaults, variants }`. */
function typesOf(text) {
  const types = {}
  for (const [, doc, attributes, kind, name, body] of text.matchAll(/((?:^\/\/\/.*\n)+)((?:#\[.*\n)+)pub (struct|enum) (\w+) \{\n([\s\S]*?)^\}/gm)) {
    const defaults = new RegExp(`impl Default for ${name} \\{[\\s\\S]*?\\bSelf \\{([^{}]*?)\\}\\n    \\}`).exec(text)
    types[name] = {
      doc: said(doc),
      own: {},
      isOptional: /#\[serde\([^)]*\bdefault\b/.test(attributes),
      variants: kind === 'enum' ? [...body.matchAll(/(?:^ {4}#\[serde\(rename = "(.+)"\)\]\n)?^ {4}(\w+),$/gm)].map(([, renamed, variant]) => renamed ?? variant.toLowerCase()) : undefined,
      fields: [...body.matchAll(/((?:^ {4}\/\/\/.*\n)+)((?:^ {4}#\[.*\n)*)^ {4}pub (\w+): (.+),$/gm)].map(([, about, own, field, type]) => ({ name: field, type, doc: said(about), own })),
      defaults: Object.fromEntries([...(defaults?.[1] ?? '').matchAll(/(\w+): ((?:[^,()]|\([^()]*\))+)/g)].map(([, field, value]) => [field, value.trim()])),
    }
  }
  // Adds the defaults of single fields: `#[serde(default = "function")]`.
  for (const type of Object.values(types)) {
    for (const { name, own } of type.fields) {
      const made = /default = "(\w+)"/.exec(own)?.[1]
      if (made) type.own[name] = new RegExp(`fn ${made}\\(\\) -> \\w+ \\{\\n\\s*(.*)\\n`).exec(text)[1]
    }
  }
  return types
}

const said = (comment) => comment.split('\n').map((line) => line.trim().replace(/^\/\/\/ ?/, '')).join(' ').trim()

const SIZES = [[30n, 'GiB'], [20n, 'MiB'], [10n, 'KiB']]

/** Returns a number of bytes in the notation of cloch.toml. */
function size(bytes) {
  for (const [shift, unit] of SIZES) {
    const factor = 1n << shift
    if (bytes >= factor && bytes % factor === 0n) return `"${bytes / factor}${unit}"`
  }
  return String(bytes)
}

/** Returns a Rust value as TOML, or `undefined` for a value that is not set. Fails for an expression of an unknown form. */
function toml(value, types) {
  const number = (text) => (/<</.test(text) ? BigInt(text.split('<<')[0].trim()) << BigInt(text.split('<<')[1].trim()) : BigInt(text.replaceAll('_', '')))
  const bytes = /^ByteSize\((.*)\)$/.exec(value)
  if (bytes) return size(number(bytes[1]))
  if (value === 'None' || /::default\(\)$/.test(value) || value === 'BTreeMap::new()') return undefined
  if (value === 'Vec::new()') return '[]'
  const text = /^(".*")\.(?:into|to_owned)\(\)$/.exec(value)
  if (text) return text[1]
  if (/^(true|false|\d+\.\d+)$/.test(value)) return value
  if (/^[\d_]+( << \d+)?$/.test(value)) return String(number(value))
  const variant = /^(\w+)::(\w+)$/.exec(value)
  if (variant && types[variant[1]]?.variants) return `"${variant[2].toLowerCase()}"`
  throw new Error(`docs/configuration.md: what is the default ${value}?`)
}

const inner = (type) => /^(?:Option|Vec)<(.*)>$/.exec(type)?.[1]

/** Returns a description of the values of a type. */
function kind(type, types) {
  if (type.startsWith('Option<')) return kind(inner(type), types)
  if (type.startsWith('Vec<')) return `list of ${kind(inner(type), types)}s`
  if (types[type]?.variants) return types[type].variants.map((variant) => `"${variant}"`).join(', ')
  const words = {
    bool: 'true or false', u32: 'number', u64: 'number', usize: 'number', f64: 'number', String: 'text', PathBuf: 'path', Url: 'URL',
    Secret: 'secret', ByteSize: 'size', IpNet: 'network', SocketAddr: 'address:port', PublicHost: 'host', Table: 'any keys',
  }
  if (!words[type]) throw new Error(`docs/configuration.md: what is a ${type}?`)
  return words[type]
}

function standard(type) {
  if (type === 'bool') return 'false'
  if (type.startsWith('Vec<')) return '[]'
  return undefined
}

/** Returns every section in the order of the file's type: `{ path, doc, rows }`. */
function sections() {
  const types = Object.assign({}, ...SOURCES.map((path) => typesOf(read(path))))
  if (!read(SWEEP_SOURCE[0]).includes(SWEEP_SOURCE[1])) throw new Error('docs/configuration.md: the defaults of the sweep have changed')
  Object.assign(types.StorageSection.defaults, SWEEP)
  for (const [name, [path, pattern, fields]] of Object.entries(TAKEN)) {
    const found = pattern.exec(read(path)).slice(1)
    fields.forEach((field, index) => (types[name].defaults[field] = found[index]))
  }
  const found = []
  const walk = (path, name) => {
    const section = { path, doc: types[name].doc, rows: [] }
    const below = []
    found.push(section)
    for (const field of types[name].fields) {
      const either = WORD_OR_SECTION[inner(field.type)]
      if (either) {
        section.rows.push({ name: field.name, kind: either[0], usual: '', doc: field.doc })
        below.push([`${path}.${field.name}`, either[1]])
        continue
      }
      const elsewhere = READ_ELSEWHERE[`${name}.${field.name}`]
      const named = elsewhere ?? [[path, field.name].filter(Boolean).join('.'), inner(field.type) ?? /^BTreeMap<String, (\w+)>$/.exec(field.type)?.[1] ?? field.type]
      if (types[named[1]]?.fields && !types[named[1]].variants && types[named[1]].fields.length) {
        const suffix = field.type.startsWith('BTreeMap') ? '.<id>' : ''
        below.push([field.type.startsWith('Vec<') ? `[${named[0]}]` : named[0] + suffix, named[1]])
        continue
      }
      const declared = types[name].defaults[field.name] ?? types[name].own[field.name]
      const isRequired = !types[name].isOptional && !field.own.includes('default') && !field.type.startsWith('Option<')
      const usual = declared === undefined ? standard(field.type) : toml(declared, types)
      section.rows.push({ name: field.name, kind: kind(field.type, types), usual: isRequired ? 'required' : usual ? `\`${usual}\`` : '', doc: field.doc })
    }
    for (const [next, type] of below) walk(next, type)
  }
  walk('', 'ClochToml')
  return found.filter(({ rows }) => rows.length)
}

const cell = (text) => text.replaceAll('|', '\\|')

/** The whole page. */
export function reference() {
  const page = [readFileSync(join(import.meta.dirname, 'configuration_intro.md'), 'utf8').trimEnd()]
  for (const { path, doc, rows } of sections()) {
    const about = doc.replace(/^`\[+[^`]*`(?: of cloch\.toml)?[.:]?\s*/, '')
    page.push('', `## [${path}]`, '')
    if (about) page.push(about[0].toUpperCase() + about.slice(1), '')
    page.push('| key | value | default | |', '|---|---|---|---|')
    for (const row of rows) page.push(`| \`${row.name}\` | ${cell(row.kind)} | ${row.usual} | ${cell(row.doc)} |`)
  }
  return `${page.join('\n')}\n`
}
