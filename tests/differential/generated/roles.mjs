// Roles with settings that change how values are written or read, and functions that have settings.

import { add, full } from '../cases.mjs'
import { chance, pick, random, read, sent } from './random.mjs'

const ROLES = 36
const settings = {
  TimeZone: ["'Europe/London'", "'Asia/Kathmandu'", "'America/St_Johns'", "'UTC'", "'<+05>-05'"],
  DateStyle: ["'ISO, DMY'", "'SQL, DMY'", "'German'", "'Postgres, MDY'", "'ISO, YMD'"],
  IntervalStyle: ["'iso_8601'", "'sql_standard'", "'postgres_verbose'", "'postgres'"],
  bytea_output: ["'escape'", "'hex'"],
  extra_float_digits: ['0', '-5', '3', '1'],
  statement_timeout: ["'4s'", "'1min'", '5000'],
  search_path: ['"Odd Basin"', 'basin, "Odd Basin"', 'harbour'],
  lock_timeout: ["'9s'"],
  default_transaction_isolation: ["'serializable'", "'repeatable read'"],
}
const roles = Array.from({ length: ROLES }, (_, at) => `${at % 3 === 0 ? 'Tide ' : 'tide_'}${at}`)
const statements = roles.flatMap((role, at) => {
  const name = `"${role}"`
  const whole = pick(Object.keys(settings), 1 + random.below(4)).map((setting) => `alter role ${name} set ${chance(50) ? setting.toLowerCase() : setting} = ${random.of(settings[setting])}`)
  const inDatabase = at % 4 === 0 ? [`alter role ${name} in database harbour set ${random.of(['timezone', 'TimeZone'])} = 'Pacific/Auckland'`] : []
  return [`create role ${name}`, `grant ${name} to authenticator`, `grant authenticated to ${name}`, ...whole, ...inDatabase]
})
/** Creates the roles. */
export const rolesSql = statements.join(';\n')

const columns = ['at', 'local', 'day', 'clock', 'zoned', 'gap', 'bytes', 'small', 'big', 'ats', 'days', 'gaps', 'bigs', 'all_bytes', 'during', 'days_range', 'doc']
const typed = ['at::text', 'day::text', 'gap::text', 'bytes::text', 'big::text', 'd:days::text', 'during::text']
const filters = ['at=gt.2024-01-01', 'day=eq.06/05/2024', 'day=eq.2024-05-06', 'day=lt.01/02/2024', 'gap=gt.P1M', 'gap=eq.-1 mons +2 days -03:00', 'local=gte.2024-05-06T00:00', 'bytes=eq.\\xdead00', 'big=lt.0.2', 'during=cs.2024-01-05', 'at=in.("2024-05-06 07:08:09.5+00")', 'clock=eq.07:08:09', 'ats=cs.{2024-01-01 00:00Z}']
const calls = ['now_at?n=1', 'now_at?n=2', 'now_at?n=3', 'gap_of?n=1', 'day_text?n=1', 'read_day?day=06/05/2024', 'read_day?day=2024-05-06', 'all_moments?select=at,gap,bytes&order=id', 'all_moments?select=id,day&id=eq.1', 'with_timeout', 'with_isolation', 'found', ...['TimeZone', 'DateStyle', 'IntervalStyle', 'bytea_output', 'extra_float_digits', 'statement_timeout', 'search_path', 'transaction_isolation'].map((name) => `shown?name=${name}`)]
const selected = () => `select=${pick([...columns, ...typed], 2 + random.below(4)).join(',')}`

for (const role of roles) {
  for (const call of pick(calls, 7)) add('GET', `/rpc/${call}`, { role, headers: read })
  for (let i = 0; i < 5; i++) {
    const embed = chance(30) ? `,parent_id(${pick(columns, 2).join(',')})` : chance(20) ? `,moments(${pick(columns, 2).join(',')})` : ''
    const accept = chance(25) ? { accept: 'text/csv' } : {}
    add('GET', `/moments?${selected()}${embed}&order=id`, { role, headers: { ...read, ...accept, ...(chance(25) ? { prefer: 'timezone=Asia/Tokyo' } : {}) } })
  }
  for (const filter of pick(filters, 3)) add('GET', `/moments?select=id&order=id&${filter}`, { role, headers: read })
  const body = random.of([{ day: '03/04/2024' }, { gap: 'P1DT2H', at: '2024-01-01T00:00' }, { bytes: '\\x5c', big: 0.1 }, { zoned: '10:00', local: '2024-02-03 04:05' }])
  add('PATCH', `/moments?id=eq.3&${selected()}`, { role, headers: { ...sent, prefer: `${full}, tx=rollback` }, body: JSON.stringify(body) })
  add('POST', `/moments?${selected()}`, { role, headers: { ...sent, prefer: `${full}, tx=rollback` }, body: JSON.stringify({ id: 9, ...body }) })
  add('POST', '/rpc/read_day', { role, headers: sent, body: JSON.stringify({ day: '02/03/2024' }) })
}
for (const role of ['anon', 'user', roles[0], roles[1]])
  for (const name of ['with_timeout', 'with_isolation', 'with_zone', 'with_style'])
    for (const method of ['GET', 'HEAD']) add(method, `/rpc/${name}`, { role, headers: read })
