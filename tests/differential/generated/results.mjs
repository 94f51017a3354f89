// Functions with every kind of result. They are read like tables: selected, filtered, ordered, limited, counted, as a single object and as CSV.

import { add } from '../cases.mjs'
import { chance, random, read, sent } from './random.mjs'

const REQUESTS = 900
const rows = {
  select: ['', '*', 'id', 'name,id', 'n:name', 'id::text', 'x:id::text,length', 'name,length,id', 'length,l2:length', 'nope', 'count()', 'id.max()', 'name,count()', '"name"', 'id->x'],
  filter: ['id=eq.2', 'id=gt.1', 'name=is.null', 'name=in.(Ada,Bee,a)', 'name=not.eq.a', 'or=(id.eq.1,id.eq.3)', 'and=(id.gt.1,name.not.is.null)', 'length=gte.4', 'not.or=(id.eq.1,length.is.null)', 'nope=eq.1', 'id=eq.x', 'id=isdistinct.2', 'name=like.*a*'],
  order: ['id', 'id.desc', 'name.nullsfirst,id', 'name.desc.nullslast,id', 'length,id', 'nope', 'length.desc.nullsfirst,name'],
}
const ofBoats = {
  select: [...rows.select, '*,yards(name)', 'id,trips(id,name)', 'name,yard_id(name)', 'id,...yards!yard_id(yard:name)', 'id,last_trip(day)', 'id,trips(count)', 'id,yards!inner(id)', 'id,shouted', 'shouted,label', 'id,t:trips(id)', 'id,crews(task,people(name))'],
  filter: [...rows.filter, 'shouted=eq.ADA!', 'trips=is.null', 'trips.id=gt.1', 'yards.name=eq.Rope', 'yard_id=eq.1'],
  order: [...rows.order, 'yards(name),id', 'yard_id,id.desc', 'shouted,id'],
}
const values = {
  select: ['', '*', 'pgrst_scalar', 'x:pgrst_scalar', 'pgrst_scalar::text', 'id', 'count()'],
  filter: ['pgrst_scalar=eq.2', 'pgrst_scalar=gt.1', 'pgrst_scalar=is.null', 'pgrst_scalar=not.is.null', 'or=(pgrst_scalar.eq.1,pgrst_scalar.is.null)', 'id=eq.1'],
  order: ['pgrst_scalar', 'pgrst_scalar.desc.nullslast', 'id'],
}
/** The functions with valid arguments, and with the filters that their rows support. */
const functions = {
  no_result: [values, [{}]], one_int: [values, [{}, { n: 3 }, { n: null }]], one_text: [values, [{}, { n: 2 }, { n: 3 }, { n: 4 }, { n: 9 }]],
  one_json: [values, [{}, { n: 2 }, { n: 3 }, { n: 4 }, { n: 9 }]], one_array: [values, [{}]], one_boat: [ofBoats, [{}, { n: 3 }, { n: 99 }]], one_kind: [rows, [{}]],
  one_row: [rows, [{}]], one_out: [values, [{}]], in_out: [rows, [{ id: 1 }, { id: 5, n: 3 }, {}, { id: 1, name: 'x' }]], one_record: [values, [{}]],
  many_ints: [values, [{}, { n: 5 }, { n: 0 }]], many_texts: [values, [{}]], many_json: [values, [{}]], many_boats: [ofBoats, [{}]], many_long_boats: [rows, [{}]],
  many_kinds: [rows, [{}]], many_rows: [rows, [{}, { n: 2 }, { n: 0 }]], many_outs: [rows, [{}]], many_out: [values, [{}]], many_in_outs: [rows, [{ id: 1 }, { id: 3 }, {}]],
  no_rows: [rows, [{}]], no_ints: [values, [{}]],
}
const accepts = ['application/vnd.pgrst.object+json', 'text/csv', 'application/vnd.pgrst.array+json;nulls=stripped', 'application/vnd.pgrst.object+json;nulls=stripped', '*/*', 'text/csv, application/json']
const preferences = ['count=exact', 'count=planned', 'count=estimated', 'count=exact, handling=strict']
const ranges = ['limit=1', 'limit=2&offset=1', 'offset=1', 'offset=99', 'limit=0', 'limit=2']

for (let i = 0; i < REQUESTS; i++) {
  const [name, [asks, list]] = random.of(Object.entries(functions))
  const given = random.of(list)
  const select = chance(60) ? random.of(asks.select) : ''
  const filter = chance(45) ? random.of(asks.filter) : ''
  const order = chance(50) ? `order=${random.of(asks.order)}` : ''
  const range = chance(35) ? random.of(ranges) : ''
  const accept = chance(45) ? random.of(accepts) : undefined
  const prefer = chance(35) ? random.of(preferences) : undefined
  const headers = { ...(accept ? { accept } : {}), ...(prefer ? { prefer } : {}) }
  // PostgREST does not find functions with an OUT parameter before another parameter. Therefore it gets a function with another order of parameters.
  const ask = (method, rest, options) => add(method, `/rpc/${name}?${rest}`, { ...options, ...(name === 'in_out' ? { asked: `/rpc/uq0q?${rest}`, names: [['uq0q', name]] } : {}) })
  const query = [select && `select=${select}`, filter, order, range].filter(Boolean)
  if (chance(40)) {
    ask('POST', query.join('&'), { headers: { ...sent, ...headers }, body: JSON.stringify(given) })
    continue
  }
  const known = Object.entries(given).filter(([, value]) => value !== null).map(([key, value]) => `${key}=${value}`)
  // If a function does not return a set and a filter removes its only row, PostgREST has no row to describe.
  const isHead = chance(15) && /^(many|no_rows|no_ints)/.test(name)
  // Ranges are defined only for GET (RFC 9110).
  const ranged = !isHead && chance(15) ? { range: random.of(['0-0', '1-2', '5-']) } : {}
  ask(isHead ? 'HEAD' : 'GET', [...known, ...query].join('&'), { headers: { ...read, ...headers, ...ranged } })
}
