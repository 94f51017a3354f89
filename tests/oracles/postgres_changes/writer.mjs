/** Writes random changes: transactions with savepoints, statements without pauses, and overlapping transactions. */
import { literal, name } from './sql.mjs'
import { ORGANISATIONS, USERS, tables, types } from './tables.mjs'

const KEYS = 12
/**
 * Number of concurrent transactions. Each transaction changes only rows with its own keys, so that the results of the policies do not depend on the
 * order of the commits.
 */
const WRITERS = 3

const large = (random) => Array.from({ length: 300 }, () => random.below(2 ** 31).toString(36)).join('')

const further = {
  by_index: (random) => ['other', `${random.below(1_000_000_000)}`],
  toasted: (random) => ['large', large(random)],
  toasted_whole: (random) => ['large', large(random)],
  of_organisation: (random) => ['org', random.one([...ORGANISATIONS, null])],
  switched: (random) => ['uuid', random.one(USERS)],
}

const valueOf = (random, type) => (random.chance(0.12) ? null : random.one(types[type].values))

/** Returns a random key of one writer. */
const keyOf = (random, writer) => random.below(KEYS) * WRITERS + writer

function assignments(random, table, isInsert) {
  const columns = isInsert ? tables[table].columns : random.some(tables[table].columns)
  const list = columns.map((type) => [type, valueOf(random, type)])
  // Most updates do not change the large value, so PostgreSQL's log does not contain it.
  const more = further[table]
  if (more && (isInsert || random.chance(0.3))) list.push(more(random))
  return Object.entries(Object.fromEntries(list))
}

/** Returns a statement that changes up to a few rows. */
function statement(random, table, writer) {
  const id = keyOf(random, writer)
  const target = `public.${name(table)}`
  const choice = random.below(10)
  if (choice < 4) {
    const values = assignments(random, table, true)
    return `insert into ${target} (id, ${values.map(([column]) => name(column)).join(', ')}) values (${id}, ${values.map(([, value]) => literal(value)).join(', ')}) on conflict do nothing`
  }
  const own = `id % ${WRITERS} = ${writer}`
  if (choice < 7) {
    const set = assignments(random, table, false).map(([column, value]) => `${name(column)} = ${literal(value)}`).join(', ')
    return `update ${target} set ${set} where ${table !== 'by_index' && random.chance(0.3) ? own : `id = ${id}`}`
  }
  if (choice < 8) return `update ${target} set id = ${keyOf(random, writer)} + 1000 * ${WRITERS} where id = ${id} and not exists (select from ${target} where id >= 1000)`
  if (choice < 9) return `update ${target} set id = ${id} where id in (select min(id) from ${target} where id >= 1000 and ${own}) and not exists (select from ${target} where id = ${id})`
  return `delete from ${target} where ${random.chance(0.2) ? own : `id = ${id}`}`
}

const few = (random, most) => 1 + random.below(most)

/** Returns one transaction. Some of its parts are rolled back. */
function transaction(random, names, writer) {
  const statements = Array.from({ length: few(random, 6) }, () => statement(random, random.one(names), writer))
  if (random.chance(0.3)) statements.splice(random.below(statements.length), 0, 'savepoint s', statement(random, random.one(names), writer), random.one(['rollback to s', 'release s']))
  return ['begin', ...statements, random.chance(0.1) ? 'rollback' : 'commit']
}

/** Changes that are made between two groups: of definitions, of whole tables, and of memberships. */
export const between = {
  truncation: (random, names) => `truncate public.${name(random.one(names))}`,
  members: (random) => `delete from public.members; insert into public.members values ('${random.one(USERS)}', ${random.one(['0', '1', '7'])}), ('${random.one(USERS)}', 7)`,
  switch: (random) => `alter table public.switched ${random.one(['enable', 'disable'])} row level security`,
  policy: (random) => `alter policy "Readers" on public.switched using (${random.one(['uuid = auth.uid()', 'int4 > 0', 'true', 'false', "(auth.jwt() ->> 'org') = 'north'"])})`,
}

/** Makes a group of changes. The changes are committed when the function returns. */
export async function write(random, writers, catalog) {
  const names = Object.keys(tables)
  const open = names.filter((table) => !catalog[table].rls)
  if (random.chance(0.35)) {
    // Changes the rows one after another without a pause. Therefore a row may be deleted before its policies are checked.
    const table = random.one(open)
    const list = Array.from({ length: few(random, 10) }, () => statement(random, random.chance(0.7) ? table : random.one(open), 0))
    await writers[0].run(list.join(';\n'))
  } else if (random.chance(0.5)) {
    await writers[0].run(transaction(random, names, 0).join(';\n'))
  } else {
    const scripts = writers.map((_, writer) => transaction(random, names, writer))
    while (scripts.some((script) => script.length)) {
      await Promise.all(scripts.map((script, writer) => (script.length && random.chance(0.7) ? writers[writer].run(script.shift()) : undefined)))
    }
  }
}

export const writersNeeded = WRITERS
