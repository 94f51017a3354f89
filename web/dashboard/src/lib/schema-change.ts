import { migrationName } from './migrations'

/** Comments, string literals and function bodies. They are ignored in the search for commands. Quoted names are not ignored. */
const opaque =
  /"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$|\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'/g
/** The body of a function in the form of the SQL standard. Only there, a semicolon does not end a statement. */
const standardBody = /\bbegin\s+atomic\b[\s\S]*?;\s*end\b/gi

const change = /^(create|alter|drop|comment\s+on|grant|revoke|security\s+label|import\s+foreign\s+schema)\b/i
const temporary = /^create\s+(or\s+replace\s+)?((global|local)\s+)?temp(orary)?\b/i
/** Statements that cannot be part of a migration, because they cannot run in a transaction. */
const outside =
  /^(begin|start\s+transaction|commit|end|rollback|abort|vacuum|prepare\s+transaction)\b|^(create|drop)\s+(unique\s+)?index\s+concurrently\b|^(create|drop)\s+(database|tablespace)\b|^alter\s+system\b|^(alter\s+table|reindex)\b.*\bconcurrently\b/i

const noise = new Set([
  'or',
  'replace',
  'unique',
  'if',
  'not',
  'exists',
  'only',
  'materialized',
  'foreign',
  'event',
  'constraint',
])

export interface SchemaChange {
  /** Suggested name for the migration of this change, such as `create_boats`. */
  migration: string
}

/**
 * Finds out whether a script changes the schema and can run as a migration. This function searches for keywords and does not parse the script. A
 * wrong result is harmless: the operator sees the script before it runs, and PostgreSQL decides what it does.
 */
export function schemaChange(sql: string): SchemaChange | undefined {
  const statements = sql
    .replaceAll(opaque, (found) => (found.startsWith('"') ? found.replaceAll(';', ' ') : ' '))
    .replaceAll(standardBody, ' ')
    .split(';')
    .map((statement) => statement.trim())
  const first = statements.find((statement) => change.test(statement) && !temporary.test(statement))
  if (first === undefined || statements.some((statement) => outside.test(statement))) return undefined
  return { migration: migrationName(nameOf(first)) }
}

/** A name that consists of the command, the kind of the object (unless it is a table), and the object's name. */
function nameOf(statement: string): string {
  const [verb = '', ...rest] = (statement.match(/"(?:[^"]|"")*"(?:\."(?:[^"]|"")*")*|[^\s(]+/g) ?? []).filter(
    (word) => !noise.has(word.toLowerCase()),
  )
  if (!/^(create|alter|drop)$/i.test(verb)) return verb
  const [kind = '', object = ''] = rest
  const name = object.split('.').at(-1) ?? ''
  return [verb, ...(kind.toLowerCase() === 'table' ? [] : [kind]), name].join('_')
}
