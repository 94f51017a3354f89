// Requests with other server settings. The settings are in the database, where both servers read them: a small maximum of rows, no aggregates, no
// plans, a pre-request function, another root function, and transactions that are rolled back.

import { add, cases, get, json } from './cases.mjs'

/** The settings. For each one, there is a request whose response shows that the setting is in effect. */
export const settings = {
  db_max_rows: '2',
  db_aggregates_enabled: 'false',
  db_plan_enabled: 'false',
  db_tx_end: 'rollback-allow-override',
  db_pre_request: 'harbour.before',
  db_root_spec: 'harbour.root',
}
export const probe = { method: 'GET', path: '/empty_table' }
export const holds = (answer) => answer.status === 401

const start = cases.length
for (const path of ['/ports?order=id', '/ports?order=id&limit=1', '/ports?order=id&limit=5', '/ports?order=id&offset=1', '/ports?order=id&offset=4', '/ports?order=id&offset=5', '/ports?order=id&offset=9', '/ports?id=eq.1', '/ports?id=lt.3&order=id', '/empty_table', '/ships?select=id,crew(id)&order=id', '/ships?select=id,crew(id)&crew.limit=5&order=id', '/ships?select=id,crew(id)&crew.limit=1&crew.offset=1&order=id', '/ships?select=id,crew!inner(id)&order=id', '/crew?select=id,...ships(name)&order=id', '/rpc/all_ships?select=id', '/rpc/numbers?n=5', '/rpc/pairs', '/rpc/hello', '/rpc/all_ships?select=id&limit=3&offset=1', '/rpc/int_array', '/'])
  for (const headers of [{}, { prefer: 'count=exact' }, { prefer: 'count=planned' }, { prefer: 'count=estimated' }, { range: '0-3', prefer: 'count=exact' }, { range: '1-' }, { accept: 'text/csv' }, { accept: 'application/vnd.pgrst.object+json' }])
    for (const method of ['GET', 'HEAD']) add(method, path, { headers })
for (const select of ['count()', 'id.sum()', 'count', 'id,crew(count)', 'crew(count())', 'crew(pay.sum())', '...home_port_id(depth.max())', 'n:count', 'id,count']) get(`/ships?select=${select}`)
for (const accept of ['application/vnd.pgrst.plan', 'application/vnd.pgrst.plan+json', 'application/vnd.pgrst.plan, application/json']) get('/ports?id=eq.1', { headers: { accept } })
for (const [method, path, body] of [['GET', '/ports?id=eq.1'], ['HEAD', '/ports?id=eq.1'], ['OPTIONS', '/ports'], ['OPTIONS', '/'], ['GET', '/'], ['POST', '/'], ['PUT', '/'], ['GET', '/nope'], ['POST', '/rpc/hello', '{}'], ['GET', '/rpc/nothing'], ['POST', '/skills', '{"id":50,"label":"x"}'], ['PATCH', '/skills?id=eq.1', '{"label":"x"}'], ['DELETE', '/crew_skills?crew_id=eq.1'], ['PUT', '/skills?id=eq.1', '{"id":1,"label":"p"}'], ['POST', '/empty_table', '{"id":1}'], ['OPTIONS', '/empty_table'], ['POST', '/rpc/set_status', '{"status":"299"}'], ['POST', '/rpc/set_headers', '{"headers":"[{\\"X-Two\\":\\"2\\"}]"}']])
  for (const role of ['anon', 'user', 'service'])
    for (const headers of [{}, { 'x-refuse': 'no' }, { 'x-tea': 'green' }, { 'x-status': '203' }, { 'x-status': 'x' }, { prefer: 'tx=rollback' }, { prefer: 'return=representation' }, { prefer: 'return=representation, tx=rollback, count=exact' }])
      add(method, path, { role, headers: { ...json, ...headers }, body })
for (const body of ['[{"id":50,"label":"a"},{"id":51,"label":"b"},{"id":52,"label":"c"}]']) for (const prefer of ['return=representation', 'return=representation, count=exact']) add('POST', '/skills', { role: 'user', headers: { ...json, prefer }, body })
add('PATCH', '/skills?id=gt.0&select=id', { role: 'user', headers: { ...json, prefer: 'return=representation, count=exact' }, body: '{"label":"x"}' })
add('DELETE', '/crew_skills?level=gt.0&select=level', { role: 'user', headers: { prefer: 'return=representation, count=exact' } })

/** The cases of this file. They are kept apart from the other cases. */
export const settled = cases.splice(start)
