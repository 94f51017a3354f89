/**
 * The changes that each subscriber should receive, computed with plain SQL. The SQL selects the row by its key with the caller's role and claims;
 * filters and values are expressions on the texts in PostgreSQL's log. The rules are those of Supabase's `realtime.apply_rls`. `differences` lists
 * intended differences of Cloch.
 */
import { convertChangeData } from '@supabase/realtime-js/dist/module/lib/transformers.js'

import { literal, name } from './sql.mjs'
import { UNCHANGED } from './wal.mjs'

export const differences = [
  ['Truncations are not sent.', 'The same: upstream reads inserts, updates and deletions only.'],
  ['A role that may not read the key, and inserts and updates of a table without a key, get one error for each table.', 'One for each change. Deletions are sent to roles that may read nothing.'],
  ['A deletion on a table with row security is sent to roles that some policy lets read.', 'It is sent to every role.'],
  ['A deletion on a table with row security meets filters on key columns only.', 'Filters on other columns are applied to the old row, which policies may have hidden.'],
  ['Values of char(n) and bit(n) are compared whole.', 'Filters cast both sides to char(1) and bit(1).'],
]

/** Reads the catalog of the tables: keys, columns, identities, row security, privileges. */
export async function readCatalog(session) {
  const list = await session.json(`
    select jsonb_build_object('table', c.relname, 'rls', c.relrowsecurity, 'whole', c.relreplident = 'f',
      'key', (select jsonb_agg(a.attname order by a.attnum) from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey::int2[]) where i.indrelid = c.oid and i.indisprimary),
      'identity', case c.relreplident
        when 'f' then (select jsonb_agg(a.attname) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
        when 'n' then '[]'
        else (select jsonb_agg(a.attname) from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey::int2[])
               where i.indrelid = c.oid and case c.relreplident when 'i' then i.indisreplident else i.indisprimary end) end,
      'columns', (select jsonb_agg(jsonb_build_object('name', a.attname, 'type', t.typname, 'sql', format_type(a.atttypid, a.atttypmod), 'plain', format_type(a.atttypid, -1),
          'roles', (select jsonb_agg(r) from unnest(array['anon', 'authenticated', 'service_role']) as r where has_column_privilege(r, c.oid, a.attnum, 'select'))) order by a.attnum)
        from pg_attribute a join pg_type t on t.oid = a.atttypid where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
      'bypass', (select coalesce(jsonb_agg(rolname), '[]') from pg_roles where rolbypassrls),
      'policies', (select coalesce(jsonb_agg(p.roles::text[]), '[]') from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname and p.permissive = 'PERMISSIVE' and p.cmd in ('SELECT', 'ALL')))
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`)
  return Object.fromEntries(list.map((entry) => [entry.table, entry]))
}

/** Returns the error that a role receives in place of a change, if there is one. */
function refusal({ key, columns }, role, kind) {
  const mayRead = (column) => columns.find(({ name: other }) => other === column).roles?.includes(role)
  if (!columns.some(({ roles }) => roles?.includes(role)) || (key ?? []).some((column) => !mayRead(column))) return 'Error 401: Unauthorized'
  return key || kind === 'DELETE' ? null : 'Error 400: Bad Request, no primary key'
}

/** Completes the rows of a change. The old row is the replica identity. Unchanged values are copied from the old row. */
function complete(catalog, { table, kind, old, new: row }) {
  const { identity, whole, columns } = catalog[table]
  let before = null
  if (kind !== 'INSERT') {
    before = Object.fromEntries(identity.map((column) => [column, (old ?? row)[column] ?? null]))
    // In old rows, test_decoding omits columns that are null.
    if (whole && old) for (const { name: column } of columns) before[column] = old[column] ?? null
  }
  const after = row && Object.fromEntries(Object.entries(row).map(([column, value]) => [column, value === UNCHANGED && before && column in before ? before[column] : value]))
  return { table, kind, old: before, new: after }
}

/** Converts the texts of rows to JSON with PostgreSQL. */
async function convert(session, catalog, rows) {
  const statement = ({ table, row }) => {
    const values = catalog[table].columns.filter(({ name: column }) => column in row && row[column] !== UNCHANGED)
    return `select jsonb_build_object(${values.map(({ name: column, sql }) => `${literal(column)}, to_jsonb(${literal(row[column])}::${sql})`).join(', ')});`
  }
  return rows.length ? session.json(rows.map(statement).join('\n')) : []
}

const operators = { eq: '=', neq: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=', like: 'like', ilike: 'ilike', match: '~', imatch: '~*', isdistinct: 'is distinct from' }

function condition({ column, operator, negated, values }, row, { plain }) {
  // As in Supabase, a filter is false if its column is not in the change.
  if (!row || !(column in row) || row[column] === UNCHANGED) return 'false'
  const value = `${literal(row[column])}::${plain}`
  const test =
    operator === 'is' ? `${value} is null`
    : operator === 'in' ? `${value} = any (array[${values.map(literal).join(', ')}]::${plain}[])`
    : `${value} ${operators[operator]} ${literal(values[0])}::${plain}`
  return `coalesce(${negated ? 'not ' : ''}(${test}), false)`
}

/** Returns an SQL expression for whether a subscriber receives a change through a binding. Returns null if the answer is no without a query. */
function visible(catalog, { role }, { event, table, filters }, change) {
  if (table !== change.table || (event !== '*' && event !== change.kind)) return null
  const { rls, key, columns, bypass, policies } = catalog[table]
  const isFree = !rls || bypass.includes(role)
  if (change.kind === 'DELETE' && !isFree) {
    if (!policies.some((roles) => roles.includes('public') || roles.includes(role))) return null
    if (filters.some(({ column }) => !key.includes(column))) return null
  }
  const compared = change.kind === 'DELETE' ? change.old : change.new
  const tests = filters.map((filter) => condition(filter, compared, columns.find(({ name: column }) => column === filter.column)))
  if (rls && change.kind !== 'DELETE' && !refusal(catalog[table], role, change.kind)) {
    const same = key.map((column) => `t.${name(column)} = ${literal(change.new[column])}::${columns.find((one) => one.name === column).sql}`)
    tests.push(`exists (select from public.${name(table)} as t where ${same.join(' and ')})`)
  }
  return tests.join(' and ') || 'true'
}

/** Returns the message that supabase-js creates for a change. */
function message(catalog, role, { select }, { table, kind }, { old, new: row }) {
  const { columns, key, rls } = catalog[table]
  const isShown = ({ name: column, roles }) => roles?.includes(role) && (!select || select.includes(column) || key?.includes(column))
  const listed = columns.filter(isShown)
  const cut = (record, shown) => (record ? convertChangeData(listed, Object.fromEntries(Object.entries(record).filter(([column]) => shown.some((one) => one.name === column)))) : {})
  const ofOld = kind === 'DELETE' && rls ? listed.filter(({ name: column }) => key.includes(column)) : listed
  const error = refusal(catalog[table], role, kind)
  if (error) return { eventType: kind, table, new: {}, old: {}, errors: [error] }
  return { eventType: kind, table, new: cut(row, listed), old: cut(old, ofOld) }
}

/** Returns the changes that each binding of each subscriber should receive. They are computed after the changes are committed. */
export async function expected(session, catalog, subscribers, decoded) {
  const changes = decoded.map((change) => complete(catalog, change))
  const rows = changes.flatMap(({ table, old, new: row }) => [old, row].filter(Boolean).map((row) => ({ table, row })))
  const converted = await convert(session, catalog, rows)
  const records = changes.map(({ old, new: row }) => ({ old: old && converted.shift(), new: row && converted.shift() }))
  const asked = subscribers.map(({ claims, bindings }) =>
    bindings.flatMap((binding, place) => changes.map((change, at) => ({ place, at, sql: visible(catalog, claims, binding, change) })).filter(({ sql }) => sql)),
  )
  const statements = subscribers.map(({ claims }, n) => {
    const settings = [['role', claims.role], ['request.jwt.claims', JSON.stringify(claims)], ['request.jwt.claim.sub', claims.sub ?? ''], ['request.jwt.claim.role', claims.role]]
    const set = settings.map(([setting, value]) => `set_config('${setting}', ${literal(value)}, true)`).join(', ')
    return `begin; select 'null' from (select ${set}) as settings;\nselect json_build_array(${asked[n].length ? `array[${asked[n].map(({ sql }) => sql).join(',\n')}]` : "array[]::bool[]"});\nrollback;`
  })
  const answers = (await session.json(statements.join('\n'))).filter((answer) => answer !== null).map(([answer]) => answer)
  return subscribers.map(({ claims, bindings, refused }, n) => {
    const lists = bindings.map(() => [])
    const met = asked[n].filter((_, number) => answers[n][number])
    changes.forEach(({ table, kind }, at) => {
      const places = met.filter((one) => one.at === at)
      const isRefused = refusal(catalog[table], claims.role, kind) !== null
      if (places.length === 0 || (isRefused && refused.has(table))) return
      if (isRefused) refused.add(table)
      for (const { place } of places) lists[place].push(message(catalog, claims.role, bindings[place], changes[at], records[at]))
    })
    return lists
  })
}
