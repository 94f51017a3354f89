// Special cases that the lists in cases.mjs and shipyard.mjs do not contain.

import { full, get, json, write, add } from './cases.mjs'

// ---- Aggregates over whole rows of a spread embed
for (const select of ['rank,...ships(count())', '...ships(count())', 'rank,...ships(n:count())', '...ships(n:count()::text)', '...ships(...ports!home_port_id(count()))'])
  get(`/crew?select=${select}&order=${select.startsWith('rank') ? 'rank' : ''}`.replace(/&order=$/, ''))

// ---- Functions whose rows are filtered by conditions on their embeds
for (const rest of ['crew()&crew=not.is.null', 'crew()&crew=is.null', 'crew!inner(name)&crew.name=eq.Ada', 'crew(name)&crew.rank=eq.mate', 'crew()&or=(crew.is.null,id.eq.1)', 'crew()&not.or=(crew.is.null,id.eq.1)'])
  get(`/rpc/all_ships?select=id,${rest}`)

// ---- A column with the name `*`
for (const [method, path] of [['POST', '/marked'], ['PATCH', '/marked?id=eq.1'], ['PUT', '/marked?id=eq.1']]) write(method, path, { id: 1, '*': 2 }, { prefer: full })

// ---- Bodies with unusual or invalid CSV
for (const body of ['id,label', 'id,label\n', 'id,label\n10\n', 'id,label\n10,a\n11', 'id,label\n10,a,b\n', 'id,label\n10,a"b\n', '{"id":10}', 'id,label\n10,"a""b"\n11,""\n', 'id,label\n\n10,a\n', 'id,label\r\n10,a\r\n', '"id","label"\n10,NULL\n', 'id,label\n10,null\n'])
  write('POST', '/skills', body, { prefer: full, headers: { 'content-type': 'text/csv' } })

// ---- Errors whose response the database determines
for (const [code, message, detail] of [
  ['PT402', 'Payment Required'], ['PT418', 'no coffee'], ['PTabc', 'x'], ['PGRST', '{"code":"A","message":"B"}', '{"status":332,"status_text":"Tide out","headers":{"X-One":"1"}}'],
  ['PGRST', '{"code":"A","message":"B"}', '{"status":404,"status_text":5,"headers":{}}'], ['PGRST', '{"code":"A","message":"B"}', '{"status":404,"status_text":null,"headers":{}}'],
])
  add('POST', '/rpc/fail', { headers: json, body: JSON.stringify({ code, message, detail }) })
