// The kinds of schema changes. Each kind generates SQL from a random source and the catalog. If there is nothing to change, it generates nothing.

import { ident, keyTypes, literal, typeNames, value } from './schema_values.mjs'

const plain = (table) => table.columns.filter((one) => one.name !== 'id' && !one.generated && !['alpha', 'beta'].includes(one.name))
const fresh = (source, prefix) => `${prefix}_${source.below(1000)}`
/** Returns SQL that sets a column in each row to a value of the column's type. */
const filled = (type, catalog) => {
  const cases = Array.from({ length: 10 }, (_, n) => `when ${n} then ${literal(value(type, n, catalog))}`)
  return `(case abs(hashtext(id::text)) % 10 ${cases.join(' ')} end)::${type}`
}
/** Returns SQL that drops the views which read the table, because they would prevent a change of the table. */
const without = (table) => table.readers.map((name) => `drop view if exists ${ident(name)} cascade;`.replace('view', name.startsWith('m_') ? 'materialized view' : 'view')).join('\n')
const usable = (catalog, source) => source.pick(catalog.tables.filter((one) => plain(one).length > 0))
const anyType = (catalog, source) => source.pick([...typeNames, ...Object.keys(catalog.enums), ...Object.keys(catalog.domains)])

function alterType(catalog, source) {
  const table = usable(catalog, source)
  if (!table) return
  const column = source.pick(plain(table))
  const type = anyType(catalog, source)
  const name = `${ident(table.name)}`
  return `${without(table)}
    alter table ${name} alter ${ident(column.name)} drop default;
    ${table.columns.filter((one) => one.generated).map((one) => `alter table ${name} drop column ${ident(one.name)};`).join('')}
    alter table ${name} alter ${ident(column.name)} type ${type} using null;
    update ${name} set ${ident(column.name)} = ${filled(type, catalog)};`
}

function recreate(catalog, source) {
  const table = source.pick(catalog.tables)
  const type = source.pick(keyTypes)
  const columns = plain(table).slice(0, 5).map((one) => `${ident(one.name)} ${source.chance(0.5) ? one.type : anyType(catalog, source)}`)
  const partitioned = source.chance(0.2)
  const name = ident(table.name)
  const rows = Array.from({ length: 6 }, (_, n) => `(${literal(value(type, n, catalog))})`)
  const typed = columns.map((one) => one.split('" ')).map(([column, type]) => `${column}" = ${filled(type, catalog)}`)
  return `${without(table)}
    drop table ${name} cascade;
    create table ${name} (id ${type} primary key${columns.map((one) => `, ${one}`).join('')}) ${partitioned ? 'partition by hash (id)' : ''};
    ${partitioned ? `create table ${ident(`p_${table.name}`)} partition of ${name} for values with (modulus 1, remainder 0);` : ''}
    grant all on ${name} to anon, authenticated, service_role;
    insert into ${name} (id) values ${rows};
    ${typed.length ? `update ${name} set ${typed.join(', ')};` : ''}`
}

function recreateEnum(catalog, source) {
  const name = Object.keys(catalog.enums)[0]
  if (!name) return
  const labels = [...catalog.enums[name], fresh(source, 'label')].toSorted(() => source.below(3) - 1).slice(-6)
  const using = catalog.tables.flatMap((table) => table.columns.filter((one) => one.type === name).map((one) => [table, one]))
  const change = ([table, one]) => `${without(table)} alter table ${ident(table.name)} alter ${ident(one.name)} drop default, alter ${ident(one.name)} type ${name} using case when ${ident(one.name)}::text = any (array[${labels.map(literal)}]) then ${ident(one.name)}::text::${name} end;`
  const functions = catalog.functions.filter((one) => one.arguments.some((argument) => argument.type === name)).map((one) => `drop function ${one.identity};`)
  return `alter type ${name} rename to ${name}_old; create type ${name} as enum (${labels.map(literal)});
    ${functions.join('')} ${using.map(change).join('\n')} drop type ${name}_old;`
}

const addLabel = (catalog, source) => `alter type ${Object.keys(catalog.enums)[0]} add value if not exists ${literal(fresh(source, 'label'))}`

function renameLabel(catalog, source) {
  const [name, labels] = Object.entries(catalog.enums)[0]
  return `alter type ${name} rename value ${literal(source.pick(labels))} to ${literal(`${fresh(source, 'renamed')}`)}`
}

function view(catalog, source) {
  const table = source.pick(catalog.tables)
  const columns = table.columns.filter((one) => one.name === 'id' || source.chance(0.6)).map((one) => ident(one.name))
  return `drop view if exists v_alpha; create view v_alpha as select ${columns} from ${ident(table.name)}; grant all on v_alpha to anon, authenticated, service_role`
}

function castView(catalog, source) {
  const table = usable(catalog, source)
  if (!table) return
  const column = source.pick(plain(table))
  return `drop view if exists v_cast; create view v_cast as select id, ${ident(column.name)}::text as a, ${filled(anyType(catalog, source), catalog)} as b from ${ident(table.name)};
    grant all on v_cast to anon, authenticated, service_role`
}

function materialized(catalog, source) {
  const table = source.pick(catalog.tables)
  const columns = table.columns.filter((one) => one.name === 'id' || source.chance(0.6)).map((one) => ident(one.name))
  return `drop materialized view if exists m_beta; create materialized view m_beta as select ${columns} from ${ident(table.name)}; grant all on m_beta to anon, authenticated, service_role`
}

function onColumn(make) {
  return (catalog, source) => {
    const table = usable(catalog, source)
    if (!table) return
    const column = source.pick(plain(table))
    return make(table, column, source, catalog)
  }
}

const renameColumn = onColumn((table, column, source) => `alter table ${ident(table.name)} rename ${ident(column.name)} to ${ident(fresh(source, 'c'))}`)
const dropColumn = onColumn((table, column) => plain(table).length > 2 && `${without(table)} alter table ${ident(table.name)} drop column ${ident(column.name)} cascade`)
const swapColumns = onColumn((table, column) => {
  const other = plain(table).find((one) => one.name !== column.name)
  if (!other) return
  const name = ident(table.name)
  return `alter table ${name} rename ${ident(column.name)} to swapped; alter table ${name} rename ${ident(other.name)} to ${ident(column.name)}; alter table ${name} rename swapped to ${ident(other.name)}`
})
const setDefault = onColumn((table, column, source, catalog) => `alter table ${ident(table.name)} alter ${ident(column.name)} set default ${literal(value(column.type, source.below(10), catalog))}`)
const required = onColumn((table, column) => `update ${ident(table.name)} set ${ident(column.name)} = ${ident(column.name)} where false; alter table ${ident(table.name)} alter ${ident(column.name)} ${column.required ? 'drop' : 'set'} not null`)
const generated = onColumn((table, column, source) => {
  const old = table.columns.find((one) => one.generated)
  const name = ident(table.name)
  if (old) return `${without(table)} alter table ${name} drop column ${ident(old.name)}`
  return `alter table ${name} add ${ident(fresh(source, 'g'))} ${source.pick(['boolean', 'text'])} generated always as (${ident(column.name)} is null) stored`.replace(/text generated always as \((.*)\)/, 'text generated always as (case when $1 then \'none\' else \'some\' end)')
})
const toDomain = onColumn((table, column, source, catalog) => {
  const name = Object.keys(catalog.domains)[0]
  if (!name) return
  return `${without(table)} alter table ${ident(table.name)} alter ${ident(column.name)} drop default, alter ${ident(column.name)} type ${name} using null; update ${ident(table.name)} set ${ident(column.name)} = ${filled(name, catalog)}`
})

function addColumn(catalog, source) {
  const table = source.pick(catalog.tables)
  if (table.columns.length > 8) return
  const type = anyType(catalog, source)
  return `alter table ${ident(table.name)} add ${ident(fresh(source, 'c'))} ${type} default ${literal(value(type, source.below(10), catalog))}`
}

const SIGNATURES = ['integer', 'bigint', 'text', 'date', 'timestamp without time zone', 'numeric', 'uuid']
const drop = (catalog, name) => catalog.functions.filter((one) => one.name === name).map((one) => `drop function ${one.identity};`).join('')

function signature(catalog, source) {
  const type = source.pick(SIGNATURES)
  return `${drop(catalog, 'f_one')} create function f_one(v ${type}) returns text language sql immutable as $$ select v::text $$;`
}

function overload(catalog, source) {
  const name = source.pick(['v', 'w'])
  return `create or replace function f_one(${name} ${source.pick(SIGNATURES)}, more integer) returns text language sql immutable as $$ select ${name}::text || more $$;`
}

function returned(catalog, source) {
  const type = source.pick(['date', 'timestamp without time zone', 'text', 'integer', 'bigint'])
  const expression = /^(date|time)/.test(type) ? "'2024-01-01T06:30:00'::timestamp + id * interval '26 hours'" : 'id'
  return `${drop(catalog, 'f_rows')} create function f_rows(n integer) returns table (id integer, v ${type}) language sql stable as $$ select id, (${expression})::${type} from generate_series(1, n) as id $$;`
}

function rowsOf(catalog, source) {
  const table = source.pick(catalog.tables)
  return `${drop(catalog, 'f_over')} create function f_over(n integer) returns setof ${ident(table.name)} language sql stable as $$ select * from public.${ident(table.name)} $$;`
}

function addReference(catalog, source) {
  const [from, to] = [source.pick(catalog.tables), source.pick(catalog.tables)]
  const type = to.key === 'id' && to.columns.find((one) => one.name === 'id').type
  if (!type || from.columns.length > 8) return
  const column = fresh(source, 'ref')
  return `alter table ${ident(from.name)} add ${column} ${type} references ${ident(to.name)}; update ${ident(from.name)} set ${column} = (select min(id::text)::${type} from ${ident(to.name)})`
}

function dropReference(catalog, source) {
  const referring = catalog.tables.filter((one) => one.references.length)
  if (!referring.length) return
  const table = source.pick(referring)
  return `alter table ${ident(table.name)} drop constraint ${ident(source.pick(table.references).name)}`
}

function key(catalog, source) {
  const table = source.pick(catalog.tables.filter((one) => one.kind === 'r'))
  if (!table) return
  return table.key ? `alter table ${ident(table.name)} drop constraint ${ident(`${table.name}_pkey`)} cascade` : `alter table ${ident(table.name)} add constraint ${ident(`${table.name}_pkey`)} primary key (id)`
}

function unique(catalog, source) {
  const table = source.pick(catalog.tables.filter((one) => one.kind === 'r' && one.columns.some((column) => /^(alpha|beta)$/.test(column.name))))
  if (!table) return
  const column = table.columns.find((one) => /^(alpha|beta)$/.test(one.name)).name
  return table.unique.length ? `alter table ${ident(table.name)} drop constraint ${ident(table.unique[0])}` : `alter table ${ident(table.name)} add unique (${column})`
}

const privilege = (word) => (catalog, source) => `${word} ${source.pick(['select', 'insert', 'all'])} on ${ident(source.pick(catalog.relations).name)} ${word === 'grant' ? 'to' : 'from'} ${source.pick(['anon', 'authenticated'])}`

function rowSecurity(catalog, source) {
  const table = source.pick(catalog.tables)
  if (table.rls) return `alter table ${ident(table.name)} disable row level security`
  const policy = table.policies.length ? '' : `create policy few on ${ident(table.name)} using (abs(hashtext(id::text)) % 2 = 0);`
  return `${policy} alter table ${ident(table.name)} enable row level security`
}

function policy(catalog, source) {
  const table = catalog.tables.find((one) => one.policies.length)
  if (!table) return
  return `drop policy ${ident(table.policies[0])} on ${ident(table.name)}; create policy few on ${ident(table.name)} using (abs(hashtext(id::text)) % ${2 + source.below(3)} = 0)`
}

function renameTable(catalog, source) {
  const table = source.pick(catalog.tables.filter((one) => one.kind === 'r'))
  return table && `alter table ${ident(table.name)} rename to ${ident(fresh(source, 't'))}`
}

/** Exchanges the names of two tables. */
function swapTables(catalog, source) {
  const [one, other] = [source.pick(catalog.tables), source.pick(catalog.tables)]
  if (one.name === other.name) return
  return `alter table ${ident(one.name)} rename to swapped; alter table ${ident(other.name)} rename to ${ident(one.name)}; alter table swapped rename to ${ident(other.name)}`
}

function trigger(catalog, source) {
  const table = source.pick(catalog.tables)
  const found = table.triggers[0]
  if (found) return `drop trigger ${ident(found)} on ${ident(table.name)}`
  return `create or replace function keep() returns trigger language plpgsql as $$ begin return new; end $$; create trigger kept before insert or update on ${ident(table.name)} for each row execute function keep()`
}

function otherSchema(catalog, source) {
  const table = source.pick(catalog.tables.filter((one) => one.kind === 'r'))
  if (!table) return
  const name = ident(table.name)
  return `${without(table)} create schema if not exists attic; alter table ${name} set schema attic; create table ${name} (id text primary key, a text); insert into ${name} values ('1', 'one'); drop schema attic cascade`
}

const searchPath = (_, source) => `alter role ${source.pick(['anon', 'authenticated'])} set search_path = ${source.pick(['public', 'pg_catalog', 'public, pg_catalog'])}`
const comment = (catalog, source) => `comment on table ${ident(source.pick(catalog.tables).name)} is 'x'`
const publication = (catalog, source) => (catalog.publications.length ? 'drop publication changes' : `create publication changes for table ${ident(source.pick(catalog.tables).name)}`)
const checkDomain = (_, source) => `alter domain score drop constraint if exists most; alter domain score add constraint most check (value < ${100 + source.below(9)}) not valid`

function newDomain(catalog, source) {
  const using = catalog.tables.flatMap((table) => table.columns.filter((one) => one.type === 'score').map((one) => [table, one]))
  const type = source.pick(['integer', 'bigint', 'date', 'text', 'numeric(10,2)'])
  const known = { ...catalog, domains: { score: type } }
  const change = ([table, one]) => `${without(table)} alter table ${ident(table.name)} drop column ${ident(one.name)} cascade; alter table ${ident(table.name)} add ${ident(one.name)} score; update ${ident(table.name)} set ${ident(one.name)} = ${filled('score', known)};`
  return `alter domain score rename to score_old; create domain score as ${type}; ${using.map(change).join('\n')} drop domain score_old cascade`
}

/** Relative frequency of each kind of change, by name. */
export const kinds = Object.entries({
  alterType: [alterType, 8],
  recreate: [recreate, 4],
  recreateEnum: [recreateEnum, 2],
  addLabel: [addLabel, 1],
  renameLabel: [renameLabel, 1],
  view: [view, 2],
  castView: [castView, 2],
  materialized: [materialized, 1],
  renameColumn: [renameColumn, 2],
  dropColumn: [dropColumn, 2],
  swapColumns: [swapColumns, 3],
  addColumn: [addColumn, 3],
  setDefault: [setDefault, 1],
  required: [required, 1],
  generated: [generated, 2],
  toDomain: [toDomain, 2],
  newDomain: [newDomain, 2],
  checkDomain: [checkDomain, 1],
  signature: [signature, 3],
  overload: [overload, 1],
  returned: [returned, 3],
  rowsOf: [rowsOf, 2],
  addReference: [addReference, 2],
  dropReference: [dropReference, 2],
  key: [key, 1],
  unique: [unique, 1],
  grant: [privilege('grant'), 2],
  revoke: [privilege('revoke'), 1],
  rowSecurity: [rowSecurity, 2],
  policy: [policy, 1],
  renameTable: [renameTable, 1],
  swapTables: [swapTables, 2],
  trigger: [trigger, 1],
  otherSchema: [otherSchema, 1],
  searchPath: [searchPath, 1],
  comment: [comment, 1],
  publication: [publication, 1],
}).flatMap(([name, [make, times]]) => Array(times).fill({ name, make }))
