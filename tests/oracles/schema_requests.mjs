// Requests whose shape is constant. Their values follow the schema, so that the same statement is used before and after a change.

import { json, value } from './schema_values.mjs'

const NO_ROWS = { prefer: 'tx=rollback' }
const ROWS = { prefer: 'tx=rollback, return=representation' }
const named = (catalog, name) => catalog.relations.find((one) => one.name === name)
const enc = encodeURIComponent

/** Returns a shape. Its names are constant; types and values are determined when the request is sent. */
export function shape(catalog, source) {
  const relation = source.pick(catalog.relations)
  const table = source.pick(catalog.tables)
  const column = source.pick(relation.columns).name
  const of = (one) => source.pick(one.columns.filter((column) => !column.generated)).name
  const role = source.pick(['service', 'service', 'user', 'anon'])
  const filter = { column, operator: source.pick(['eq', 'eq', 'gt', 'lt', 'gte', 'neq', 'in', 'isdistinct']), not: source.chance(0.1) }
  const onTable = { ...filter, column: of(table), operator: source.pick(['eq', 'gt', 'lte', 'in']) }
  const other = source.pick(catalog.tables)
  return source.pick([
    { kind: 'read', relation: relation.name, select: '*', filter, role },
    { kind: 'read', relation: relation.name, select: 'id', filter, role },
    { kind: 'read', relation: relation.name, select: 'id', filter, second: { ...filter, column: of(relation) }, role },
    { kind: 'read', relation: relation.name, select: `id,${column}`, filter, role, headers: { accept: 'text/csv' } },
    { kind: 'read', relation: relation.name, select: 'id', filter, role, headers: { prefer: 'count=exact' } },
    { kind: 'read', relation: relation.name, select: 'id', filter, role, headers: { prefer: 'count=exact' }, method: 'HEAD' },
    { kind: 'read', relation: relation.name, select: 'count()', filter, role },
    { kind: 'read', relation: table.name, select: `id,${other.name}(*)`, filter: onTable, role },
    { kind: 'read', relation: table.name, select: `id,${other.name}(id)`, filter: onTable, embedded: { ...filter, column: of(other) }, embed: other.name, role },
    { kind: 'insert', relation: table.name, columns: ['id', of(table)], role },
    { kind: 'insert', relation: table.name, columns: ['id', of(table)], role, bulk: true },
    { kind: 'insert', relation: table.name, columns: ['id', of(table)], role, merges: true },
    { kind: 'update', relation: table.name, columns: [of(table)], filter: onTable, role },
    { kind: 'delete', relation: table.name, filter: onTable, role },
    { kind: 'call', function: 'f_one', arguments: ['v'], role },
    { kind: 'call', function: 'f_rows', arguments: ['n'], role, filter: { ...filter, column: 'v', operator: source.pick(['gt', 'lte']) } },
    { kind: 'call', function: 'f_over', arguments: ['n'], role, filter: { ...filter, column: of(table) }, select: 'id' },
  ])
}

const number = (source) => source.below(10)

function condition({ column, operator, not }, type, source, catalog) {
  const text = () => value(type ?? 'text', number(source), catalog)
  const quoted = () => `"${text().replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  const given = operator === 'in' ? `(${quoted()},${quoted()})` : text()
  return `${column}=${not ? 'not.' : ''}${operator}.${enc(given)}`
}

/** Returns the request for a shape, with values for the present schema. */
export function request(one, catalog, source) {
  const relation = named(catalog, one.relation)
  const typeOf = (owner, name) => named(catalog, owner)?.columns.find((column) => column.name === name)?.type
  const parts = []
  if (one.select) parts.push(`select=${one.select}`)
  for (const filter of [one.filter, one.second])
    if (filter) parts.push(condition(filter, one.kind === 'call' ? callType(one, filter, catalog) : typeOf(one.relation, filter.column), source, catalog))
  if (one.embedded) parts.push(`${one.embed}.${condition(one.embedded, typeOf(one.embed, one.embedded.column), source, catalog)}`)
  const row = () => Object.fromEntries(one.columns.map((name, at) => [name, json(typeOf(one.relation, name) ?? 'text', at === 0 && name === 'id' ? 7 + source.below(3) : number(source), catalog)]))
  const base = { role: one.role, headers: { ...one.headers } }
  if (one.kind === 'read') {
    const order = one.select === 'count()' || !relation ? [] : ['order=id']
    return { ...base, method: one.method ?? 'GET', path: `/${one.relation}?${[...parts, ...order].join('&')}` }
  }
  const writes = { ...base, headers: { ...ROWS, ...one.headers, 'content-type': 'application/json' } }
  if (one.kind === 'insert') {
    const body = JSON.stringify(one.bulk ? [row()] : row())
    const prefer = one.merges ? `${ROWS.prefer}, resolution=merge-duplicates` : ROWS.prefer
    return { ...writes, headers: { ...writes.headers, prefer }, method: 'POST', path: `/${one.relation}`, body }
  }
  if (one.kind === 'update') return { ...writes, method: 'PATCH', path: `/${one.relation}?${parts.join('&')}`, body: JSON.stringify(row()) }
  if (one.kind === 'delete') return { ...writes, method: 'DELETE', path: `/${one.relation}?${parts.join('&')}` }
  const found = catalog.functions.find((each) => each.name === one.function)
  const argument = (name) => value(found?.arguments.find((each) => each.name === name)?.type ?? 'integer', name === 'n' ? 1 : number(source), catalog)
  const values = one.arguments.map((name) => `${name}=${enc(name === 'n' ? '5' : argument(name))}`)
  return { ...base, headers: { ...NO_ROWS, ...base.headers }, method: 'GET', path: `/rpc/${one.function}?${[...values, ...parts].join('&')}` }
}

/** Returns the type of a column of a function's result. */
function callType(one, filter, catalog) {
  const found = catalog.functions.find((each) => each.name === one.function)
  return found?.results?.[filter.column]
}
