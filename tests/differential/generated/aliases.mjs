// Embeds with aliases that are names of other tables, embeds or columns. The embeds are filtered, ordered and limited by alias or by name.
//
// A name can refer to two embeds. In `x:trips(id),trips:people(id)`, the name `trips` does; in `trips(id),yards:trips(id)&trips.name=…`, it does
// not. PostgREST then uses the embed that comes first, and Cloch uses the embed that has this name in the response. Therefore such a request is
// sent to PostgREST with unique aliases (`asked`), which are replaced by the original names in PostgREST's response (`names`).

import { get } from '../cases.mjs'
import { chance, pick, random, read } from './random.mjs'

const REQUESTS = 900
const tables = {
  boats: { columns: ['id', 'name', 'length', 'yard_id'], others: ['twin_id', 'yards'], embeds: { yards: 'yards', yard_id: 'yards', trips: 'trips', people: 'people', crews: 'crews', twin_id: 'boats', boats: 'boats', last_trip: 'trips' } },
  yards: { columns: ['id', 'name', 'trips'], others: ['tags'], embeds: { boats: 'boats', trips: 'trips', long_boats: 'long_boats' } },
  trips: { columns: ['id', 'name', 'day', 'boats'], others: ['boat_id', 'yard_id', 'cost'], embeds: { boats: 'boats', yards: 'yards', boat_id: 'boats', yard_id: 'yards' } },
  people: { columns: ['id', 'name'], others: ['boss_id'], embeds: { boats: 'boats', crews: 'crews', boss_id: 'people', people: 'people' } },
  crews: { columns: ['boat_id', 'person_id', 'task'], others: [], embeds: { boats: 'boats', people: 'people' } },
  long_boats: { columns: ['id', 'name', 'length'], others: ['yard_id'], embeds: { yards: 'yards' } },
}
const toOne = ['yards', 'yard_id', 'twin_id', 'last_trip', 'boat_id', 'boss_id']
const aliases = ['a', 'b', 'trips', 'yards', 'boats', 'people', 'crews', 'name', 'id', 'yard_id', '"odd alias"']
let count = 0

function embed(target, table, depth) {
  const node = { target, table, unique: `uq${(count += 1)}q`, alias: chance(60) ? random.of(aliases) : undefined, join: chance(25) ? random.of(['!inner', '!left']) : '' }
  const { columns, embeds } = tables[table]
  node.columns = chance(15) ? ['*'] : pick(columns, 1 + random.below(2))
  node.children = depth > 0 && chance(35) ? pick(Object.entries(embeds), 1 + random.below(2)).map(([name, to]) => embed(name, to, depth - 1)) : []
  return node
}

const called = (node) => node.alias ?? node.target
const select = (nodes, name) => nodes.map((node) => `${name(node)}${node.target}${node.join}(${[...node.columns, select(node.children, name)].filter(Boolean).join(',')})`).join(',')

/** Chooses how a parameter addresses a node among its siblings: the word, and whether PostgREST could take this word for another embed. */
function address(node, siblings) {
  const word = chance(70) ? called(node) : node.target
  const named = siblings.filter((other) => called(other) === word)
  const fitting = siblings.filter((other) => other.target === word || other.alias === word)
  if (named.length > 1 || (named.length === 0 && fitting.length > 1)) return undefined
  return { word, node: named[0] ?? fitting[0], isDoubtful: fitting.length > 1 }
}

function parameters(node) {
  const column = random.of(tables[node.table].columns)
  const order = (direction) => ['order', node.table === 'crews' ? 'boat_id,person_id' : `id${direction}`]
  const value = { id: 'gt.1', boat_id: 'lt.3', person_id: 'eq.1', name: random.of(['eq.out', 'is.null', 'like.*a*', 'neq.Ada']), length: 'gt.4', yard_id: 'eq.1', trips: 'not.is.null', day: 'lt.2024-01-03', boats: 'lt.3', task: 'eq.steer' }[column]
  return random.of([
    () => [[column, value]],
    () => [order('.desc')],
    () => [order(''), ['limit', '1']],
    () => [order('.desc'), ['limit', '1'], ['offset', '1']],
    () => [['or', `(${column}.${value},${node.table === 'crews' ? 'boat_id' : 'id'}.eq.2)`]],
    () => [[`not.and`, `(${column}.${value})`]],
  ])()
}

/** Builds the parameters for one embed, with the path of words and the path of unique aliases. */
function addressed(nodes) {
  const found = address(random.of(nodes), nodes)
  if (!found) return []
  const { node, word, isDoubtful } = found
  const below = node.children.length > 0 && chance(60) ? addressed(node.children) : parameters(node).map(([key, value]) => ({ words: [key], uniques: [key], value }))
  return below.map((one) => ({ ...one, words: [word, ...one.words], uniques: [node.unique, ...one.uniques], isDoubtful: isDoubtful || one.isDoubtful }))
}

/** Builds conditions and orders of the root that refer to an embed. They always use the embed's name in the response. */
function ofRoot(nodes) {
  const node = random.of(nodes)
  const alone = nodes.filter((other) => called(other) === called(node)).length === 1
  if (!alone) return []
  const isColumn = ['name', 'id', 'yard_id'].includes(called(node))
  const test = (value) => ({ words: [called(node)], uniques: [node.unique], value, isDoubtful: false })
  if (toOne.includes(node.target) && !isColumn && chance(40)) {
    const order = (name) => `${name}(${node.table === 'crews' ? 'boat_id' : 'id'}).desc.nullslast,id`
    return [{ words: ['order'], uniques: ['order'], value: order(called(node)), unique: order(node.unique) }]
  }
  return isColumn ? [] : [test(random.of(['is.null', 'not.is.null']))]
}

/** Returns whether two values of a row have the same name. `jsonb` keeps only one of them, and the names decide which one. */
function hasDuplicates(table, columns, nodes) {
  const own = columns.includes('*') ? [...tables[table].columns, ...tables[table].others] : columns
  const names = [...own, ...nodes.map(called)]
  return new Set(names).size < names.length || nodes.some((node) => hasDuplicates(node.table, node.columns, node.children))
}

const query = (selected, list, path, value) => `select=${selected}&${list.map((one) => `${path(one).join('.')}=${value(one)}`).join('&')}`

for (let i = 0; i < REQUESTS; i++) {
  const [root, { columns, embeds }] = random.of(Object.entries(tables).filter(([name]) => name !== 'crews' && name !== 'long_boats'))
  const chosen = Array.from({ length: 1 + random.below(3) }, () => random.of(Object.entries(embeds)))
  const nodes = chosen.map(([name, to]) => embed(name, to, 2))
  // If one embed has two limits, one by its alias and one by its name, their order is not defined.
  const isOther = (one, first) => !first.some((other) => other.uniques.slice(0, -1).join() === one.uniques.slice(0, -1).join())
  const first = chance(80) ? addressed(nodes) : []
  const list = [...first, ...(chance(50) ? addressed(nodes).filter((one) => isOther(one, first)) : []), ...(chance(25) ? ofRoot(nodes) : [])]
  if (!list.some(({ words }) => words[0] === 'order')) list.push({ words: ['order'], uniques: ['order'], value: 'id' })
  const own = pick(columns, 1 + random.below(2))
  const plain = [...own, select(nodes, (node) => (node.alias ? `${node.alias}:` : ''))].join(',')
  const headers = { ...read, ...(chance(20) ? { prefer: 'count=exact' } : {}) }
  const path = `/${root}?${query(plain, list, (one) => one.words, (one) => one.value)}`
  if (!list.some((one) => one.isDoubtful)) {
    get(path, { headers })
    continue
  }
  if (hasDuplicates(root, own, nodes)) continue
  const unique = [...own, select(nodes, (node) => `${node.unique}:`)].join(',')
  const all = (level) => level.flatMap((node) => [[node.unique, called(node).replaceAll('"', '')], ...all(node.children)])
  get(path, { headers, asked: `/${root}?${query(unique, list, (one) => one.uniques, (one) => one.unique ?? one.value)}`, names: all(nodes) })
}
