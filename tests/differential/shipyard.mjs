// Requests to the tables of shipyard.sql, which contain rarer constructs.

import { add, full, get, json, write } from './cases.mjs'

const call = (name, body, { headers, ...options } = {}) =>
  add('POST', `/rpc/${name}`, { body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body), headers: { ...json, ...headers }, ...options })

// ---- Every relation: read completely, counted, described
const relations = ['docks', 'hulls', 'moulds', 'welders', 'shifts', 'inspections', 'pairs_of_welders', 'loose_links', 'plates', 'keyless', 'upper_lower', 'таблица', 'with%20space', 'dash-ed', 'defaulted', 'stamped', 'tree', 'parts', 'parts_a', 'part_orders', 'hulls_joined', 'hulls_cte', 'hulls_sub', 'hulls_union', 'hulls_distinct', 'hulls_grouped', 'hulls_cast', 'shifts_view', 'welders_view', 'of_extension', 'moulds_stored', 'yard_docks', 'changeable', 'labels', 'labels_view']
for (const relation of relations) {
  get(`/${relation}`)
  get(`/${relation}?limit=1`, { role: 'service', headers: { prefer: 'count=exact' } })
  for (const accept of ['text/csv', 'application/vnd.pgrst.object+json', 'application/vnd.pgrst.array+json;nulls=stripped', 'text/html', 'application/vnd.harbour.any', 'application/octet-stream', 'image/x', '*/*', 'text/html;q=0.5, application/vnd.harbour.any;q=0.4'])
    get(`/${relation}`, { headers: { accept } })
  add('OPTIONS', `/${relation}`)
  add('HEAD', `/${relation}?limit=1`, { headers: { prefer: 'count=exact' } })
}

// ---- Embeds: every pair of relations, with and without hints
const names = ['docks', 'hulls', 'moulds', 'welders', 'shifts', 'inspections', 'pairs_of_welders', 'loose_links', 'plates', 'таблица', 'tree', 'parts', 'part_orders', 'hulls_joined', 'hulls_cte', 'hulls_sub', 'hulls_union', 'hulls_distinct', 'hulls_grouped', 'hulls_cast', 'shifts_view', 'welders_view', 'of_extension', 'moulds_stored', 'yard_docks', 'changeable']
for (const origin of names) for (const target of names) get(`/${origin}?select=*,${target}(*)`)
const shaped = ['v_recursive', 'v_window', 'v_lateral', 'v_unnest', 'v_values', 'v_except', 'v_sets', 'v_scalar', 'v_case', 'v_whole', 'v_using', 'v_full', 'v_exists', 'v_function', 'v_json', 'v_catalog', 'v_ctes', 'v_updatable', 'v_stored', 'v_of_stored', 'v%20Spaced', 'v_order']
for (const view of shaped) {
  get(`/${view}`)
  add('OPTIONS', `/${view}`)
  for (const target of ['moulds', 'hulls', 'plates', 'tree', 'welders', 'shifts', 'docks', 'v_ctes', 'v_updatable', 'up(name),id', 'mould_id', 'hull_id']) {
    get(`/${view}?select=*,${target.includes('(') ? target : `${target}(*)`}`)
    if (!/[(_]/.test(target)) get(`/${target}?select=*,${view === 'v%20Spaced' ? '"v Spaced"' : view}(*)`)
  }
}
write('POST', '/v_updatable', { k: 50, label: 'v', mm: 3 }, { prefer: full })
write('POST', '/v_updatable', { k: 500, label: 'v' }, { prefer: full })
write('POST', '/v_updatable', { k: 1, label: 'm' }, { prefer: `${full}, resolution=merge-duplicates` })
write('PATCH', '/v_updatable?k=eq.1', { label: 'v' }, { prefer: full })
write('PUT', '/v_updatable?k=eq.1', { k: 1, label: 'v' }, { prefer: full })
write('DELETE', '/v_updatable?k=eq.3', undefined, { prefer: full })
write('POST', '/v_updatable', { k: 51, label: 'v' }, { prefer: 'return=headers-only' })
const hinted = {
  hulls: ['docks!hull_dock(*)', 'docks!hull_spare_dock(*)', 'hull_dock(*)', 'hull_spare_dock(number)', 'a:hull_dock(number),b:hull_spare_dock(number)', 'docks!yard(*)', 'docks!hulls(*)', 'mould_id(*)', 'moulds!mould_id(*)', 'moulds!id(*)', 'moulds!hull_mould(*)', 'hull_mould(*)', 'twin_id(*)', 'hulls!twin_id(*)', 'hulls!hulls_twin_id_fkey(*)', 'hulls_twin_id_fkey(*)', 'twin:hulls!id(*)', 'made_of(*)', 'made_of!inner(*)', 'm:made_of(name,used_by(id))', 'priced(*)', 'welders!shifts(name)', 'welders!inspections(name)', 'welders!loose_links(name)', 'welders!shifts_view(name)', 'welders!shifts!inner(name)', 'welders!inner!inspections(name)', 'shifts(day,welders(name))', 'inspections(passed,inspector_id(name))', 'plates(weight)', 'plates!inner(weight)', 'plates!hull_id(weight)', 'таблица(*)', 'имена:таблица("имя")', 'describe,label', 'describe', 'd:describe', '...moulds(name)', '...hull_dock(depth)', '...docks!hull_dock(depth)', '...made_of(name)', 'moulds(name,describe)', 'moulds(viewed(*))', 'moulds_stored(name)', 'hulls_joined(*)', 'changeable(name)', 'docks!hull_dock!inner(number,depth)', 'docks!inner!hull_dock(number)', 'yard_docks!hull_dock(*)', 'yard_docks(*)'],
  docks: ['hulls!hull_dock(label)', 'hulls!hull_spare_dock(label)', 'hull_dock(label)', 'a:hulls!hull_dock(label),b:hulls!hull_spare_dock(label)', 'hulls!yard(label)', 'hulls_joined(label)', 'hulls_joined!hull_dock(label)', 'hulls!hull_dock!inner(label)'],
  moulds: ['hulls(label)', 'used_by(label)', 'used_by!inner(label)', 'u:used_by(label,made_of(name))', 'viewed(*)', 'parts(*)', 'parts(part_orders(*))', 'describe', 'hulls(twin_id(label))', 'hulls!hull_mould(label)', 'hulls!mould_id(label)', 'hulls!hulls_mould_id_key(label)', 'hulls(plates(weight.sum()))'],
  tree: ['up(name)', 'tree(name)', 'tree!up(name)', 'parent(name)', 'children(name)', 'children(name,children(name,children(name)))', 'parent(name,parent(name,parent(name)))', 'single(name)', 'moulds(name)', 'p:parent(name),c:children(name)', 'children!inner(name)', 'children(count)', 'children(weight.sum())', 'tree(weight.max())', '...up(top:name)', '...parent(top:name)', 'up(up(name))', 'tree(tree(name))', 'children!left(name,parent!inner(name))'],
  welders: ['hulls!shifts(label)', 'hulls!inspections(label)', 'hulls(label)', 'pairs_of_welders(*)', 'pairs_of_welders!pair_one(*)', 'pairs_of_welders!one(*)', 'welders!pairs_of_welders(name)', 'shifts(day)', 'shifts(count)', 'initials', 'i:initials', '*,initials', 'inspections(*)', 'loose_links(hulls(label))', 'pair_one(*)'],
  pairs_of_welders: ['one(name)', 'other(name)', 'welders!pair_one(name)', 'welders!one(name)', 'a:one(name),b:other(name)', 'welders(name)'],
  part_orders: ['parts(*)', 'parts(moulds(name))', 'parts!inner(kind)', '...parts(kind,name)'], parts: ['part_orders(*)', 'moulds(name)', 'hulls(*)'],
  shifts: ['welders(name),hulls(label)', 'welder_id(name)', 'hulls(moulds(name))', '...hulls(label,...moulds(name))', '...hulls(label,moulds(name))'],
  shifts_view: ['welders(name)', 'hulls(label)', 'welder_id(name)', 'welders_view(name)', 'welders!welder_id(name)', 'welders!shifts_welder_id_fkey(name)'],
  labels: ['*', 'id,colour', 'id,c:colour', 'colours', 'colour::text', 'id,colour,colour'], labels_view: ['*', 'colour'],
}
for (const [origin, selects] of Object.entries(hinted))
  for (const select of selects) {
    get(`/${origin}?select=${select}`)
    get(`/${origin}?select=*,${select}&limit=2`, { headers: { prefer: 'count=exact' } })
    get(`/${origin}?select=${select}&limit=1`, { headers: { accept: 'application/vnd.pgrst.object+json' } })
  }
for (const query of [
  'hulls?select=id,plates(weight)&plates.order=weight.desc&plates.limit=1&order=id', 'hulls?select=id,w:welders!shifts(name)&w.name=eq.Ann&order=id', 'hulls?select=id,w:welders!shifts!inner(name)&w.name=eq.Ben&order=id', 'hulls?select=id,moulds(name)&order=moulds(name).desc.nullslast,id', 'hulls?select=id,docks!hull_dock(depth)&order=docks(depth)', 'hulls?select=id,hull_dock(depth)&hull_dock.depth=gt.5.5',
  'hulls?select=id,hull_dock(depth)&hull_dock=not.is.null', 'hulls?select=id,made_of(name)&made_of=is.null', 'hulls?select=id,made_of(name)&order=made_of(name),id', 'hulls?select=id,made_of!inner(name)&made_of.name=eq.elm', 'moulds?select=name,used_by(id)&used_by.id=gt.1&order=id', 'moulds?select=name,used_by!inner(id)&used_by.id=gt.1', 'tree?select=name,children(name)&children.name=neq.left&order=id', 'tree?select=name,children!inner(name)&children.weight=gt.5&order=id', 'tree?select=name,children(name)&children=is.null&order=id', 'tree?select=name,parent(name)&parent.name=eq.root&order=id', 'tree?select=name,parent(name)&parent=not.is.null&parent.name=eq.root&order=id',
  'tree?select=name&or=(name.eq.root,and(weight.gt.4,up.eq.1))&order=id', 'welders?select=name,hulls!shifts(label)&hulls.order=label.desc&order=id', 'welders?select=name,hulls!shifts(label)&hulls.or=(label.eq.A1,label.eq.B2)&order=id', 'welders?select=name,shifts(day,hulls(label))&shifts.hulls.label=eq.A1&order=id', 'welders?select=name,shifts!inner(day,hulls!inner(label))&shifts.hulls.label=eq.B2', 'welders?initials=eq.A', 'welders?select=name&order=initials.desc', 'welders?initials=fts.A', 'hulls?describe=eq.hull 1&select=id', 'hulls?describe=like.*2&select=id', 'hulls?select=id&order=describe.desc', 'moulds?describe=not.is.null&select=id&order=id',
  'hulls?grades=cs.{docked}&select=id', 'hulls?grades=eq.{}&select=id', 'hulls?grades=ov.{planned,docked}&select=id', 'hulls?spans=cs.{"[1,2)"}&select=id', 'hulls?hours=eq.{{1,2},{3,4}}&select=id', 'hulls?label=in.(A1,"B2")&select=id&order=id', 'hulls?flag=eq.GBR&select=id', 'hulls?marks=eq.101&select=id', 'hulls?codes=eq.1101&select=id', 'hulls?select=hours->0,hours->0->1,points->0->x,points->0->>label&order=id', 'hulls?points->0->>label=eq.x&select=id',
  'labels?colour=eq.%230000ff', 'labels?colour=in.(%230000ff,%2300ff00)&order=id', 'labels?colour=neq.%230000ff', 'labels?colour=gt.%230000ff', 'labels?colour=is.null', 'labels?colour=not.is.null&order=id', 'labels?colour=like.*', 'labels?or=(colour.eq.%230000ff,id.eq.2)&order=id', 'labels?order=colour.desc', 'labels?select=id,colour&colour=eq.255', 'labels?colours=cs.{1}', 'labels?select=colour.max()', 'labels?select=count()', 'labels?select=*,count()', 'labels_view?colour=eq.%230000ff', 'labels_view?order=colour', 'labels?colour=isdistinct.%230000ff&order=id', 'labels?colour=eq(any).{%230000ff}', 'labels?select=*&colour->>x=eq.1',
])
  get(`/${query}`)

// ---- JSON paths with keys of many kinds
for (const path of ['c->k', 'c->>k', 'c->k->l', 'c->k->l->0', 'c->k->l->1->>m', 'c->k->l->-1', 'c->k->l->>-2', 'c->a b', 'c->>"a b"', 'c->"a.b"', 'c->>"a->b"', 'c->0', 'c->"0"', 'c->>1', 'c->1->0', 'c->1->>1', 'c->"quo\\"te"', 'c->>quo"te', 'c->$', 'c->k->', 'c->>k->l', 'c->k!', 'c->k l', 'c->-1', 'c->--1', 'c->+1', 'c->1a', 'c->a1', 'c->k::text', 'c->k->l::text', 'c->>1::int', 'x:c->k', 'x:c->>k::json', 'b->k', 'a->0', 'c', 'c::text', 'c::jsonb', 'c->k.count()', 'c->>1::int.sum()'])
  for (const query of [`select=${path}&order=a`, `select=a,${path}&a=eq.1`, `select=a&order=${path},a`, `select=a&${path}=not.is.null`, `select=a&${path}=eq.1`, `select=a&or=(${path}.is.null,a.eq.3)`]) get(`/keyless?${query}`)

// ---- Names that need quotes or escapes
for (const name of ['"A"', 'A', 'a', '" spaced "', ' spaced ', '"semi;colon"', '"per%25cent"', '"slash/name"', 'und_er$1', 'ключ', '"ключ"', '"a,b"', '"c(d)"', '"e:f"', '"g\\"h"', '"g""h"', '"i->j"', '"k.l"', 'select', '"select"', 'columns', '"limit"', 'limit', '"or"', 'or', 'nope', '""', '"'])
  for (const query of [`select=${name}`, `select=x:${name}`, `${name}=not.is.null&select=a`, `order=${name}&select=a`, `or=(${name}.not.is.null)&select=a`, `select=${name}::text`, `select=a&${name}=eq.1`]) get(`/upper_lower?${query}`)
for (const query of ['таблица?имя=eq.Имя', 'таблица?select=имя', 'таблица?select=х:имя&order=имя', 'with%20space?select=first name', 'with%20space?first name=eq.Jo', 'with%20space?select="first name"', 'with space?select=id', 'dash-ed?select=x-y', 'dash-ed?x-y=eq.y', 'dash-ed?order=x-y', 'dash-ed?select=x-y::text,z:x-y', 'dash-ed?or=(x-y.eq.y,id.eq.2)']) get(`/${query}`)

// ---- Aggregates
for (const select of ['count()', 'hull_id,count()', 'hull_id,weight.sum()', 'hull_id,weight.sum()::int', 'hull_id,weight::int.sum()', 'hull_id,w:weight::int.sum()::text', 'weight.max(),weight.min(),weight.avg(),weight.count(),weight.sum()', 'cut.max(),cut.min()', 'cut.sum()', 'hull_id,hulls(label),weight.sum()', 'hulls(label),weight.sum()', '...hulls(label),weight.sum()', 'weight.sum(),...hulls(label,...moulds(name))', '...hulls(label.count())', '...hulls(n:label.count(),label)', '...hulls(...moulds(name.max())),weight.sum()', 'hulls(label.count())', 'hulls(count())', 'hulls(count)', 'count', 'c:count', 'count,hull_id', 'hull_id::text,count()', 'x:hull_id,count()', 'x:hull_id::text,count()', '*,count()', 'count(),*', 'hull_id.count()', 'count()::text', 'n:count()::text', 'count().sum()', 'sum(weight)', 'weight.sum()::', 'weight.sum().max()', 'weight.SUM()', 'weight.stddev()', 'c:weight.count(),d:weight.count()']) {
  get(`/plates?select=${select}`)
  get(`/plates?select=${select}&order=hull_id`)
  get(`/plates?select=${select}&hull_id=eq.1&limit=1`, { headers: { prefer: 'count=exact' } })
}
for (const select of ['plates(weight.sum())', 'plates(hull_id,weight.sum())', 'id,plates(count())', 'id,p:plates(s:weight.sum(),n:count())', 'label,plates(cut,weight.sum())', 'mould_id,plates(weight.sum()),id.max()', 'moulds(name),count()', 'made_of(name),count()', '...moulds(name),count()', '...made_of(name),id.sum()', 'describe,count()', 'grades,count()', 'grades->0,count()', 'plates(...hulls(label),weight.sum())']) get(`/hulls?select=${select}&order=id`), get(`/hulls?select=${select}`)

// ---- Calls
const bodies = {
  pick: [{ a: 1 }, { a: 1, b: 'y' }, { c: 1 }, { c: 1, e: 3 }, { c: 1, d: 1, e: 1 }, { b: 'x' }, {}, { a: 1, c: 1 }], whole: ['{"x":1}', '[1]', '[{"a":1}]', '3', '', '{'], named_or_whole: [{ a: 1, b: 2 }, { a: 1 }, {}, { x: 1 }], named_json: [{ data: { a: 1 } }, { a: 1 }, { data: [1, 2] }, { data: 'text' }, { data: null }], two_unnamed: [{}, [1, 2]], mixed: [{ a: 1 }], in_and_out: [{ a: 1 }, { a: 1, c: 5 }], set_of_out: [{}], one_column: [{}], set_of_json: [{}], set_of_void: [{}], set_of_state: [{}], set_of_point: [{}], points: [{}], no_rows: [{}], a_domain: [{}],
  texts: [{ words: ['a', 'b'] }, { words: '{c,d}' }, {}, { words: [] }, { words: 'x' }], head_and_texts: [{ head: 'h' }, { head: 'h', words: ['a'] }], 'odd-name': [{ 'an arg': 1 }], функция: [{ арг: 'ы' }], arrays: [{ i: [1, 2], t: ['a', 'b,c'] }, { i: '{1}', t: '{x}' }, { i: [1], t: ['a'], j: [{ a: 1 }], s: ['docked'] }, { i: [], t: [] }, { i: [[1]], t: [] }, { i: null, t: null }],
  types: [{}, { d: '2024-02-30' }, { d: '2024-02-28', ts: '2024-01-01T00:00:00+02', n: 1.5, u: '6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10' }, { r: '[1,2)', p: { x: 1, y: 2, label: 'l' }, k: 3, v: 'abc' }, { k: -1 }, { v: 'toolong' }, { h: { id: 1, label: 'H' } }, { p: '(1,2,x)' }, { n: 'x' }], of_view: [{}], of_annex: [{}], anything: [{}], named_anything: [{ x: 1 }, { x: 'a' }], own_path: [{}], limit_me: [{ limit: 1 }, { limit: 1, select: 's' }], settings: [{}], status_and_headers: [{}], get_labels: [{}], page: [{}], raw: [{}], plain: [{}], marked: [{}], whatever: [{}], changeable_change: [{}], describe: [{}], made_of: [{}],
}
for (const [name, list] of Object.entries(bodies))
  for (const body of list) {
    call(name, body)
    call(name, body, { role: 'user', headers: { accept: 'application/vnd.pgrst.object+json' } })
    call(name, body, { headers: { prefer: 'count=exact' } })
  }
for (const kind of ['no detail', 'text status', 'no code', 'null details', 'location', 'pt', 'pt long', 'plain', 'assert', 'division', 'null', 'cast', 'case', 'notice', 'column', 'function', 'other']) call('raise_more', { kind }, { role: 'service' })
const reads = ['pick?a=1', 'pick?a=1&b=y', 'pick?c=1&d=2', 'pick?c=1&d=2&e=3', 'pick?b=x', 'in_and_out?a=1', 'set_of_out?a=gt.1', 'set_of_out?select=b&order=a.desc', 'set_of_out?order=a.desc', 'one_column', 'one_column?a=eq.2', 'one_column?select=x:a', 'set_of_json', 'set_of_json?select=a', 'set_of_json?pgrst_scalar->>a=eq.1', 'set_of_void', 'set_of_state', 'set_of_state?pgrst_scalar=eq.docked', 'set_of_point', 'set_of_point?x=eq.1', 'set_of_point?select=label', 'points', 'no_rows', 'no_rows?select=name', 'a_domain', 'texts?words=a&words=b', 'texts?words=a', 'texts', 'texts?words=a,b', 'head_and_texts?head=h', 'head_and_texts?head=h&words=x&words=y', 'odd-name?an arg=1', 'функция?арг=ы', 'arrays?i={1,2}&t={"a b",c}', 'arrays?i={}&t={}', 'arrays?i={1}&t={a}&j={"{\\"a\\":1}"}&s={docked}', 'types?d=2024-01-01', 'types?p=(1,2,x)', 'types?r=[1,2)', 'types?k=7', 'types?v=abcd', 'types?u=x', 'types?d=eq.1', 'of_view', 'of_view?select=label,moulds(name)', 'of_view?select=label&label=eq.A1', 'of_annex', 'of_annex?select=label&id=eq.1', 'of_annex?select=label,ships(*)', 'named_anything?x=1', 'own_path', 'limit_me?limit=1', 'limit_me?limit=1&select=x', 'limit_me?"limit"=1', 'settings', 'get_labels', 'get_labels?colour=eq.%230000ff', 'get_labels?select=colour', 'get_labels?order=colour.desc&select=id,colour', 'page', 'raw', 'plain', 'marked', 'whatever', 'status_and_headers', 'whole', 'named_or_whole?a=1&b=2']
for (const query of reads)
  for (const headers of [{}, { accept: 'text/csv' }, { accept: 'application/vnd.pgrst.object+json' }, { prefer: 'count=exact' }, { accept: 'text/html, */*;q=0.1' }, { accept: 'application/octet-stream' }, { accept: 'application/vnd.pgrst.array+json;nulls=stripped' }, { accept: 'application/vnd.harbour.any' }, { accept: 'text/plain' }, { range: '0-0', prefer: 'count=exact' }])
    get(`/rpc/${query}`, { headers: { ...headers, cookie: 'a=1; b="2 3"; c', 'x-many': 'one' } })
for (const name of ['whole', 'take_text', 'take_bytes', 'take_json', 'named_or_whole', 'hello', 'pick'])
  for (const [type, body] of [['text/plain', 'a text'], ['text/xml', '<a>b</a>'], ['application/octet-stream', '\u0001\u0002'], ['application/json', '{"a":1}'], ['application/json', '"text"'], ['text/csv', 'a\n1'], ['application/x-www-form-urlencoded', 'a=1'], ['text/html', 'x'], ['application/vnd.pgrst.object+json', '{}'], ['', '{}'], ['text/plain', '']])
    call(name, body, { headers: { 'content-type': type } })
for (const query of ['all_ships?columns=a', 'add_up?columns=a', 'add_up?columns=a,b', 'add_up?columns=b', 'add_up?select=x', 'add_up?a=eq.1', 'add_up?a=1', 'all_ships?id=in.(1,2)&select=id', 'all_ships?limit=1&select=id', 'all_ships?select=id&order=id.desc', 'numbers?order=pgrst_scalar.desc', 'numbers?pgrst_scalar=gt.2', 'numbers?limit=1&offset=1', 'numbers?select=pgrst_scalar'])
  for (const body of [{ a: 1, b: 2, n: 3 }, { n: 3 }, { a: 1, b: 2 }, {}]) call(query, body)

// ---- Writes
for (const [path, body] of [
  ['/docks', { yard: 9, number: 1 }], ['/docks', [{ yard: 9, number: 1 }, { yard: 9, number: 2 }]], ['/docks', { yard: 1, number: 1 }], ['/docks', { yard: 1 }], ['/keyless', { a: 9 }], ['/keyless', { a: 9, b: null }], ['/keyless', { c: { x: [1] } }], ['/keyless', { c: 'str' }], ['/keyless', { c: 5 }], ['/keyless', { c: null }], ['/keyless', [{ a: 1 }, { a: 2 }]], ['/upper_lower', { a: 2, A: 3, ключ: 'к' }], ['/upper_lower', { a: 2, ' spaced ': 'x', ключ: '&=?' }], ['/таблица', { id: 9, имя: 'я' }], ['/with%20space', { id: 9, 'first name': 'f n' }],
  ['/defaulted', { id: 99 }], ['/defaulted', { id: 99, n: null }], ['/defaulted', { id: 99, arr: [5], j: [1], state: 'planned', b: false }], ['/defaulted', { id: 99, arr: '{5}', state: 'x' }], ['/defaulted', [{ id: 98, t: 'a' }, { id: 99, t: null }]], ['/stamped', { id: 9, body: 'bad' }], ['/stamped', { id: 9, body: 'ok', day: null }], ['/hulls', { id: 9, label: 'far too long' }], ['/hulls', { id: 9, flag: 'GB', marks: '111', codes: '1', grades: ['docked'], spans: ['[1,2)'], points: [{ x: 1, y: 2, label: 'z' }], hours: [[1, 2]] }], ['/hulls', { id: 9, marks: '11' }], ['/hulls', { id: 9, mould_id: 1 }], ['/hulls', { id: 9, yard: 7, dock: 7 }], ['/hulls', { id: 9, twin_id: 9 }], ['/plates', { hull_id: 1, weight: -1 }], ['/plates', { serial: 5, hull_id: 1 }], ['/plates', { weight: 1 }], ['/parts', { id: 9, kind: 'a', name: 'n' }], ['/parts', { id: 9, kind: 'z', mould_id: 77 }], ['/changeable', { id: 9, name: 'n' }], ['/hulls_cte', { id: 9 }], ['/hulls_joined', { id: 9 }], ['/yard_docks', { y: 9, n: 9 }], ['/welders_view', { welder: 9, name: 'Z' }], ['/moulds_stored', { id: 9 }], ['/labels', { id: 9, colour: '#000001' }], ['/labels', { id: 9, colour: 7 }], ['/labels', { id: 9, colour: null }], ['/labels', { id: 9, colours: [1, 2] }], ['/labels_view', { id: 9, colour: '#000002' }], ['/tree', [{ id: 8, up: 1 }, { id: 9, up: 8 }]],
]) {
  for (const prefer of [full, 'return=headers-only', undefined, `${full}, count=exact`, `${full}, resolution=merge-duplicates`, `return=headers-only, resolution=ignore-duplicates`]) write('POST', path, body, { prefer })
  write('POST', path, body, { prefer: full, headers: { accept: 'application/vnd.pgrst.object+json' } })
  write('POST', path, body, { prefer: full, headers: { accept: 'text/csv' } })
}
for (const columns of ['id', 'id,n,t', 'id,n,t,j,f,arr,state,none,expr,b,at_time', 't,n']) for (const missing of ['default', 'null']) for (const body of [{ id: 90 }, [{ id: 90, n: 1 }, { id: 91, t: null, b: null }]]) for (const more of ['', ', resolution=merge-duplicates', ', resolution=ignore-duplicates']) if (columns.includes('id')) write('POST', `/defaulted?columns=${columns}`, body, { prefer: `${full}, missing=${missing}${more}` })
for (const select of ['id', 'id,describe', 'moulds(name)', 'id,made_of(name)', '*,plates(weight)', 'id,hull_dock(depth)', 'welders!shifts(name)', 'id,twin_id(label)', 'label::text,x:id', 'points->0->label', 'count', 'id.sum()', 'id,...moulds(name)', 'nope', 'nope(x)', 'id,plates!inner(weight)', 'mould:moulds!inner(name)']) {
  write('POST', `/hulls?select=${select}`, { id: 9, mould_id: 3, label: 'L' }, { prefer: full })
  write('PATCH', `/hulls?id=eq.1&select=${select}`, { label: 'L' }, { prefer: full })
  write('PATCH', `/hulls?id=lt.3&select=${select}&order=id`, { label: 'L' }, { prefer: `${full}, count=exact` })
  write('DELETE', `/hulls?id=eq.3&select=${select}`, undefined, { prefer: full })
  write('PUT', `/hulls?id=eq.9&select=${select}`, { id: 9, mould_id: 3 }, { prefer: full })
  write('PUT', `/hulls?id=eq.1&select=${select}`, { id: 1, label: 'M' }, { prefer: full })
}
for (const query of ['id=eq.1', 'label=eq.A1', 'describe=eq.hull 1', 'or=(id.eq.1,label.eq.B2)', 'and=(id.gt.0,id.lt.3)', 'not.or=(id.eq.1,id.eq.2)', 'id=in.(1,2)', 'label=like.A*', 'grades=cs.{docked}', 'points->0->>label=eq.x', 'mould_id=is.null', 'id=eq.1&select=id,plates(weight)&plates.weight=gt.5', 'id=eq.1&select=id,plates(weight)&plates.or=(weight.gt.5,weight.lt.3)', 'id=eq.1&plates.weight=gt.5', 'id=eq.1&select=id,plates(weight)&plates=is.null', 'id=gt.0&limit=1&order=id', 'id=gt.0&limit=1', 'id=gt.0&offset=1&order=id', 'label=in.(A1)&label=eq.A1', 'nope=eq.1', 'id=eq.x', 'id=foo.1']) {
  for (const prefer of [full, undefined, 'return=headers-only', 'count=exact']) {
    write('PATCH', `/hulls?${query}`, { label: 'new' }, { prefer })
    write('DELETE', `/plates?hull_id=eq.2&${query.includes('id=') && !query.includes('plates') ? '' : ''}weight=gt.1`, undefined, { prefer })
    write('DELETE', `/hulls?${query}`, undefined, { prefer, role: 'service' })
  }
}
for (const [path, body] of [['/changeable?id=eq.1', { name: 'x' }], ['/yard_docks?y=eq.1&n=eq.1', { depth: 1 }], ['/welders_view?welder=eq.1', { name: 'x' }], ['/hulls_cte?id=eq.1', { label: 'x' }], ['/hulls_union?id=eq.1', { mould_id: 3 }], ['/labels?colour=eq.%230000ff', { colour: '#010203' }], ['/labels?id=eq.1', { colour: null }], ['/labels_view?id=eq.1', { colour: '#010203' }], ['/defaulted?id=eq.1', { n: 6, arr: [], j: null }], ['/parts?id=eq.1', { name: 'x' }], ['/parts?id=eq.1', { kind: 'q' }], ['/keyless?a=eq.1', { c: { z: 1 } }], ['/keyless?c->k->l->>0=eq.1', { b: 'found' }], ['/upper_lower?ключ=eq.ж', { A: 5 }], ['/upper_lower?"a,b"=eq.7', { 'c(d)': 5 }], ['/таблица?имя=eq.Имя', { имя: 'н' }], ['/tree?id=eq.2', { up: 99 }], ['/plates?serial=eq.1', { serial: 9 }], ['/stamped?id=eq.1', { body: 'bad' }], ['/moulds_stored?id=eq.1', { name: 'x' }], ['/hulls_grouped?n=eq.1', { n: 1 }]])
  for (const prefer of [full, undefined, `${full}, missing=default`]) {
    write('PATCH', path, body, { prefer })
    write('PATCH', `${path}&columns=${Object.keys(body)[0]}`, body, { prefer })
    write('DELETE', path, undefined, { prefer })
  }
for (const [path, body] of [['/docks?yard=eq.1&number=eq.1', { yard: 1, number: 1, depth: 9 }], ['/docks?number=eq.7&yard=eq.7', { yard: 7, number: 7 }], ['/docks?yard=eq.1', { yard: 1, number: 1 }], ['/docks?yard=eq.1&number=eq.1&depth=eq.1', { yard: 1, number: 1 }], ['/upper_lower?a=eq.1&ключ=eq.ж', { a: 1, ключ: 'ж', A: 7 }], ['/keyless?a=eq.1', { a: 1 }], ['/defaulted?id=eq.1', { id: 1, t: 'put' }], ['/defaulted?id=eq.97', { id: 97 }], ['/parts?id=eq.1&kind=eq.a', { id: 1, kind: 'a', name: 'p' }], ['/welders_view?welder=eq.1', { welder: 1, name: 'P' }], ['/changeable?id=eq.1', { id: 1, name: 'P' }], ['/labels?id=eq.1', { id: 1, colour: '#000009' }], ['/hulls_union?id=eq.1', { id: 1 }], ['/таблица?id=eq.1', { id: 1, имя: 'п' }]])
  for (const prefer of [full, undefined, `${full}, count=exact`]) write('PUT', path, body, { prefer })
for (const conflict of ['name', 'id', 'yard,number', '"имя"', 'yard, number', 'mould_id', 'label', 'id,mould_id', ''])
  for (const resolution of ['merge-duplicates', 'ignore-duplicates']) {
    write('POST', `/hulls?on_conflict=${conflict}`, [{ id: 1, mould_id: 1, label: 'c' }, { id: 9, mould_id: 3, label: 'd' }], { prefer: `${full}, resolution=${resolution}` })
    write('POST', `/docks?on_conflict=${conflict}`, { yard: 1, number: 1, depth: 3 }, { prefer: `${full}, resolution=${resolution}, count=exact` })
  }
for (const [type, body] of [['text/csv', 'yard,number\n9,1\n9,2\n'], ['text/csv', 'yard,number,depth\n9,1,NULL'], ['text/csv', 'yard,number,depth\r\n9,1,"5.5"\r\n'], ['text/csv', 'yard;number\n9;1'], ['text/csv', ''], ['text/csv', 'yard,number\n9'], ['text/csv', 'yard,number\n9,x'], ['text/csv', '"yard","number"\n"9","3"'], ['application/x-www-form-urlencoded', 'yard=9&number=1&depth='], ['application/x-www-form-urlencoded', 'yard=9&number=1&depth=2.5'], ['application/json', '{"yard":9,"number":1,"depth":1e2}'], ['application/json', ' [ {"yard" : 9, "number" : 1} ] '], ['application/json', '{"yard":9,"number":1}\n'], ['application/json', '{"yard":"9","number":"1"}'], ['application/json', '{"yard":9.7,"number":1}'], ['application/json', '{"yard":true,"number":1}'], ['application/json', '{"yard":[9],"number":1}'], ['application/json', '\ufeff{"yard":9,"number":1}'], ['application/json', '{"yard":9,"number":1,"depth":"NaN"}'], ['application/json', '{"yard":99999999999,"number":1}']])
  for (const prefer of [full, 'return=headers-only']) write('POST', '/docks', body, { prefer, headers: { 'content-type': type } })

// ---- Preferences in every combination
for (const prefer of ['', ',', 'handling=strict', 'handling=strict, return=representation', 'handling=strict,count=exact,return=minimal', 'handling=strict, nonsense', 'handling=lenient, nonsense', 'return=representation, return=minimal', 'count=exact, count=planned', 'missing=default', 'missing=null', 'resolution=merge-duplicates', 'timezone=Europe/London, handling=strict', 'timezone=', 'max-affected=0', 'max-affected=x', 'RETURN=minimal', 'return = minimal', 'tx=commit', 'tx=nope', 'params=single-object', 'handling=strict, params=single-object', 'return=representation;x=1', 'respond-async', 'handling=strict, Return=minimal'])
  for (const [method, path, body] of [['GET', '/moulds?order=id'], ['HEAD', '/moulds'], ['POST', '/moulds', { id: 9, name: 'z' }], ['PATCH', '/moulds?id=eq.1', { name: 'z' }], ['DELETE', '/moulds?id=eq.3'], ['PUT', '/moulds?id=eq.1', { id: 1, name: 'z' }], ['POST', '/rpc/no_rows', {}]])
    if (method === 'GET' || method === 'HEAD') add(method, path, { headers: { prefer } })
    else write(method, path, body, { prefer })

// ---- Plans: whether the response is a plan, and its media type
for (const accept of ['application/vnd.pgrst.plan', 'application/vnd.pgrst.plan+text', 'application/vnd.pgrst.plan+json', 'application/vnd.pgrst.plan+json; options=analyze|verbose|settings|buffers|wal', 'application/vnd.pgrst.plan; for="application/vnd.pgrst.object"', 'application/vnd.pgrst.plan+text; for="text/csv"; options=verbose', 'application/vnd.pgrst.plan; for="text/html"', 'application/vnd.pgrst.plan; for="image/x"', 'application/vnd.pgrst.plan+xml'])
  for (const [method, path] of [['HEAD', '/moulds'], ['HEAD', '/rpc/no_rows'], ['GET', '/nope']]) add(method, path, { headers: { accept } })
