/** The subscribers with their claims and subscriptions, and the events that supabase-js delivers to them. */
import { createClient } from '@supabase/supabase-js'

import { signToken } from '../../support/tokens.mjs'
import { ORGANISATIONS, USERS, tables, types } from './tables.mjs'

/** Returns the claims of a visitor, of users of two organisations in several sessions, or of a server. */
function claimsOf(n, at) {
  const now = Math.floor(Date.now() / 1000)
  const times = { iat: now, exp: now + 7_200 }
  if (n % 7 === 0) return { role: 'anon', ...times }
  if (n % 7 === 6) return { role: 'service_role', ...times }
  return { role: 'authenticated', sub: USERS[n % USERS.length], org: ORGANISATIONS[n % 2], session: at, ...times }
}

// Other tests cover values with special characters of the filter syntax.
const isPlain = (text) => /^[\p{L}\d :.+€%'\\-]+$/u.test(text) && text.trim() === text

/** Returns a random filter on a column that every role may read. */
function filterOf(random, columns) {
  const type = random.one(columns)
  const values = types[type].values.filter(isPlain)
  if (values.length === 0 || random.chance(0.1)) return { column: type, operator: 'is', negated: random.chance(0.5), values: ['null'] }
  const isText = type === 'text' || type === 'varchar'
  const operators = ['eq', 'neq', 'in', 'isdistinct', ...(types[type].order ? ['lt', 'lte', 'gt', 'gte'] : []), ...(isText ? ['like', 'ilike', 'match', 'imatch'] : [])]
  const isPattern = (operator) => operator.endsWith('like') || operator.endsWith('match')
  let operator = random.one(operators)
  if (type === 'json' || type === 'point') operator = 'is'
  const chosen = operator === 'in' ? random.some(values) : operator === 'is' ? ['null'] : isPattern(operator) ? [random.one(['a%', '%y%', '^c', 'ness$', 'N'])] : [random.one(values)]
  return { column: type, operator, negated: random.chance(0.2), values: chosen }
}

const written = ({ column, operator, negated, values }) =>
  `${column}=${negated ? 'not.' : ''}${operator}.${operator === 'in' ? `(${values.map((value) => `"${value.replaceAll('\\', '\\\\')}"`).join(',')})` : values[0]}`

function bindingOf(random) {
  const table = random.one(Object.keys(tables))
  const readable = table === 'guarded_columns' ? ['int4'] : table === 'unreadable' ? [] : tables[table].columns
  const filters = readable.length && random.chance(0.5) ? Array.from({ length: random.chance(0.8) ? 1 : 2 }, () => filterOf(random, readable)) : []
  const select = readable.length && random.chance(0.2) ? random.some(readable) : undefined
  const event = random.one(['*', '*', '*', 'INSERT', 'UPDATE', 'DELETE'])
  return { event, table, filters, select }
}

/**
 * Returns a random plan for each of `count` subscribers. Each plan begins with subscriptions to whole tables, so that several roles receive the
 * changes of each table.
 */
export function plan(random, count) {
  const names = Object.keys(tables)
  return Array.from({ length: count }, (_, at) => {
    const whole = names.filter((_, place) => (place + at) % 4 === 0).map((table) => ({ event: '*', table, filters: [], select: undefined }))
    const further = Array.from({ length: 6 }, () => bindingOf(random))
    // Some subscribers have the same claims, because the server shares the results of their policy checks.
    return { claims: claimsOf(random.chance(0.2) ? 1 : at, random.chance(0.2) ? 1 : at), bindings: [...whole, ...further] }
  })
}

/** Creates the subscriptions. Returns the events of each binding, and the last marker. */
export async function subscribe(cloch, { claims, bindings }) {
  const token = signToken(cloch.keys.JWT_SECRET, claims)
  const client = createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false }, accessToken: async () => token })
  await client.realtime.setAuth(token)
  const heard = { changes: bindings.map(() => []), mark: 0, errors: [] }
  const channel = client.channel(`oracle ${Math.random()}`)
  const listen = (binding, take) => channel.on('postgres_changes', { schema: 'public', ...binding }, take)
  listen({ event: 'INSERT', table: 'oracle_marks' }, ({ new: { id } }) => (heard.mark = id))
  bindings.forEach(({ event, table, filters, select }, at) => {
    const filter = filters.length ? { filter: filters.map(written).join(',') } : {}
    listen({ event, table, ...filter, ...(select ? { select } : {}) }, (change) => heard.changes[at].push(change))
  })
  await new Promise((done, fail) => {
    channel.on('system', {}, (message) => {
      if (message.status === 'ok') return done()
      heard.errors.push(message.message)
      fail(new Error(`${message.message}: ${JSON.stringify(bindings)}`))
    })
    channel.subscribe((status, error) => {
      if (status === 'CHANNEL_ERROR' || status === 'TIMED_OUT') fail(error ?? new Error(status))
    })
  })
  return { claims, bindings, heard, refused: new Set(), close: () => client.realtime.disconnect() }
}
