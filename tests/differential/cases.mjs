// The requests. `get` and similar functions take a path that is not escaped, and escape the characters that a URL must escape.

const escape = (text) => text.replace(/[^\x21-\x7e]|["<>\\^`{|}#]/g, (c) => encodeURIComponent(c))

export const cases = []
export const add = (method, path, options = {}) => cases.push({ method, path: escape(path), ...options, ...(options.asked ? { asked: escape(options.asked) } : {}) })
export const get = (path, options) => add('GET', path, options)
export const json = { 'content-type': 'application/json' }
/** Adds a write to the requests. The write is rolled back. */
export const write = (method, path, body, { prefer, headers, ...options } = {}) =>
  add(method, path, {
    role: 'user',
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    headers: { ...json, prefer: ['tx=rollback', prefer].filter(Boolean).join(', '), ...headers },
    ...options,
  })
export const full = 'return=representation'

// ---- Filters: every operator on every kind of column, with valid and invalid values, negated and not
const columns = {
  id: ['1', '0', 'x', '99999999999'], name: ['Waverley', 'argyll', '', '*i*'], built: ['1946', '70000', '-1'], tonnage: ['693', '99.50', '1e3', 'NaN'],
  speed: ['12', '-1'], code: ['WAV', ''], state: ['docked', 'nonsense'], active: ['true', 'f', 'maybe'], berth: ['(1,2,"a b")', 'junk'],
  launched: ['1946-10-02', '2007-02-03T04:05:06.7%2B01', 'infinity', 'never'], last_seen: ['2024-05-05 05:05:05.123456'], watch: ['08:30', '25:00'],
  ident: ['6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10', 'zz'], cost: ['12.34'], span: ['[1,5)', 'empty', '(,5]'], period: ['1 day 02:03:04', '1 mon'],
  mask: ["1010"], bits: ['110'], payload: ['\\xdeadbeef'], words: ['fat'], remark: ['paddle', '*a*'], 'double_built': ['3892'],
  '"odd name"': ['o1', 'O1'], '"with.dot"': ['1'], '"order"': ['3'], nope: ['1'], full_title: ['Waverley (1946)'], crew_count: ['3'],
}
const operators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'match', 'imatch', 'isdistinct']
for (const [column, values] of Object.entries(columns)) {
  for (const operator of operators) {
    for (const value of values.slice(0, operator === 'eq' ? 9 : 2)) get(`/ships?select=id&order=id&${column}=${operator}.${value}`)
  }
  get(`/ships?select=id&order=id&${column}=not.eq.${values[0]}`)
  get(`/ships?select=id&order=id&${column}=in.(${values[0]},"${values[0].replace(/["\\]/g, '\\$&')}")`)
  get(`/ships?select=id&order=id&${column}=not.in.(${values[0]})`)
  for (const value of ['null', 'true', 'false', 'unknown', 'NULL', 'nullx', 'nope']) get(`/ships?select=id&order=id&${column}=is.${value}`)
  get(`/ships?select=id&order=id&${column}=not.is.null`)
  get(`/ships?select=id,${column}&order=id`)
  get(`/ships?select=${column}&order=${column}.desc.nullslast,id`)
  get(`/ships?select=x:${column}::text&order=id`)
}
for (const op of ['eq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'match', 'imatch', 'neq', 'in', 'is', 'isdistinct', 'fts'])
  for (const quantifier of ['any', 'all', 'some', '']) get(`/ships?select=id&order=id&name=${op}(${quantifier}).{Wa*,Argyll,"A*"}`)
for (const [column, value] of [['tags', '{ferry}'], ['tags', '{"a,b"}'], ['tags', 'bad'], ['info', '{"lat":55.96}'], ['info', '{"pier":{"ok":true}}'], ['info', '[]'], ['info', '{'], ['raw', '{}']])
  for (const op of ['cs', 'cd', 'ov', 'eq']) {
    get(`/ports?select=id&order=id&${column}=${op}.${value}`)
    get(`/ports?select=id&order=id&${column}=not.${op}.${value}`)
  }
for (const op of ['cs', 'cd', 'ov', 'sl', 'sr', 'nxr', 'nxl', 'adj']) for (const value of ['[2,3]', '(,1)', '5', 'empty', 'x']) get(`/ships?select=id&order=id&span=${op}.${value}`)
for (const op of ['fts', 'plfts', 'phfts', 'wfts'])
  for (const value of ['fat', 'fat rat', 'fat%20%26%20rat', '"fat rat"', ''])
    for (const language of ['', '(english)', '(simple)', '(klingon)', '()']) get(`/ships?select=id&order=id&words=${op}${language}.${value}`)
for (const value of ['()', '("")', '(1)', '(1,)', '(1,2)x', '(1', '1', '(1,"2")', '( 1 , 2 )', '("1"x,2)', '(NULL)', '(1))']) {
  get(`/ports?select=id&order=id&id=in.${value}`)
  get(`/ports?select=id&order=id&name=in.${value}`)
  get(`/ports?select=id&order=id&name=not.in.${value}`)
}
for (const path of ['info->lat', 'info->>lat', 'info->tags->0', 'info->tags->>0', 'info->tags->>-1', 'info->pier->>length', 'info->pier->ok', 'raw->b', 'raw->a->1', 'tags->0', 'tags->>0', 'name->x', 'info->"lat"', 'info->0', 'info->lat->>x', 'info->', 'info->>', 'info->a-b', 'info->tags->x1', 'berth->x'])
  for (const rest of ['=eq.90', '=gt.1', '=is.null', '=eq.ferry', '=not.is.null', '=in.(120,90)']) get(`/ports?select=id&order=id&${path}${rest}`)
for (const path of ['berth->x', 'berth->>label', 'berths->0->>y', 'berths->-1->label', 'state->x', 'span->>lower', 'launched->>0']) {
  get(`/ships?select=id,${path}&order=id`)
  get(`/ships?select=id&order=${path},id`)
  get(`/ships?select=id&${path}=not.is.null&order=id`)
}

// ---- Logic
for (const tree of [
  'or=(id.eq.1,id.eq.2)', 'and=(id.gt.1,id.lt.4)', 'or=(id.eq.1,and(id.gt.2,name.like.*b*))', 'not.or=(id.eq.1,id.eq.2)', 'not.and=(id.eq.1,id.eq.2)',
  'or=(not.and(id.eq.1,name.eq.x),id.is.null)', 'or=(id.not.eq.1,name.not.is.null)', 'or=(id.in.(1,2),name.in.("a,b","Oban"))', 'or=(tags.cs.{ferry},id.eq.3)',
  'or=(info->>lat.eq.55.96,id.eq.3)', 'or=(info->pier->>ok.eq.true)', 'or=(name.eq."Oban",name.eq.Dunoon)', 'or=( id.eq.1 , id.eq.2 )', 'or=()', 'or=(id.eq.1',
  'or=id.eq.1', 'or=(id)', 'or=(id.eq)', 'or=(id.foo.1)', 'and=(id.eq.1,)', 'or=(id.eq.1)x', 'or=(id.eq.1),id.eq.2', 'and=', 'or=(id.fts(english).x)', 'or=(name.fts(english).oban)',
  'or=(name.ilike(any).{o*,d*})', 'or=(name.like(all).{O*,*n})', 'or=(not.id.eq.1)', 'not.or=(not.and(id.eq.1))', 'or=("id".eq.1)', 'or=("na""me".eq.1)', 'or=(opened.gt.1800-01-01,depth.lt.7)',
  'or=(info.cs.{"lat":55.96})', 'or=(info.cs."{\\"lat\\":55.96}")', 'and=(or(id.eq.1,id.eq.2),or(id.eq.2,id.eq.3))', 'or=(and(),id.eq.1)', 'or=(id.eq.1,xor(id.eq.2))', 'or=(name.eq."a"b)', 'or=(name.eq.)',
  'or=(id.is.null,id.is.not_null)', 'or=(id.eq.1)&or=(id.eq.1,id.eq.2)', 'or=(id.isdistinct.1)', 'foo.or=(id.eq.1)', 'not.foo=eq.1', 'or.not=(id.eq.1)', 'not=eq.1',
]) {
  get(`/ports?select=id&order=id&${tree}`)
  get(`/ports?select=id&order=id&id=lt.5&${tree}`)
}

// ---- Select
for (const select of [
  '*', '', 'id', 'id,name', 'id,id', 'a:id,b:id', 'id::text', 'x:id::text', 'id::int8,id::numeric', 'id::nope', 'id::character varying', 'name::varchar', 'opened::date', 'opened::timestamptz', 'info->lat', 'info->>lat', 'info->pier->length',
  'info->pier->>length::int', 'l:info->pier->>length', 'info->tags->0', 'info->tags->>-1', 'info->0', 'raw->a', 'raw->a->1', 'tags->0', 'tags->>1', 'name->x', '"name"', '"nope"', '*,id', 'id,*', '*::text', 'count', 'count()', 'c:count()', 'id.count()', 'id.sum()', 's:id.sum()', 'id.sum()::text',
  'country,id.sum()', 'country,id.max(),id.min(),id.avg(),id.count()', 'country,count()', 'id::text.max()', '*,count()', 'name.sum()', 'id.foo()', 'id.sum', 'id sum', 'id,,name', ',id', 'id,', 'id)', '(id)', 'id(', 'id()', ' id , name ', 'id:', ':id', 'a b:id', 'a:b:id', '"a:b":id', 'a::id', 'id->', 'id->>x',
  'info->lat::text', 'depth', 'depth::int', 'country', 'tags::text', 'parent_id', 'full_title', 'sum(id)', 'x->y->z', '$', 'id!inner', 'id...', '...id', 'ports', 'ports.*', '*.*', 'id.max()::text', 'country,tags.count()',
]) {
  get(`/ports?select=${select}&order=id`)
  get(`/ports?select=${select}`)
}
for (const table of ['ships', 'ports', 'crew', 'visits', 'notes', 'empty_table', 'defaults', 'paints', 'active_ships', 'crew_list', 'renamed_ships', 'totals', 'port_stats', 'notes_view', 'logs', '"Odd Table"', 'Odd%20Table', 'unreadable', 'licences', 'secrets', 'logs_2024', 'nope', 'shipz', 'Ships', 'vault', 'remarks', 'cargo_lines', 'crew_skills'])
  for (const role of ['anon', 'user', 'service']) {
    get(`/${table}`, { role })
    get(`/${table}?select=*&limit=1`, { role, headers: { prefer: 'count=exact' } })
    add('HEAD', `/${table}`, { role, headers: { prefer: 'count=exact' } })
    add('OPTIONS', `/${table}`, { role })
  }
get('/licences?select=ship_id')
get('/licences?select=number')
get('/Odd%20Table?select="Col A",id&"Col A"=eq.x')
get('/Odd%20Table?Col%20A=eq.x')
get('/Odd%20Table?"b\\"c"=eq.2')
get('/Odd%20Table?select="b\\"c"')

// ---- Order, limits, ranges, counts
for (const order of ['id', 'id.asc', 'id.desc', 'depth.nullsfirst,id', 'depth.desc.nullslast,id', 'depth.nullslast.desc', 'info->lat,id', 'info->>lat.desc,id', 'raw->b', 'name.ASC', 'id.descx', 'id.', 'id,', ',id', '', 'nope', 'id desc', ' id ,name', 'id .desc', 'id. desc', 'tags->0,id', 'country.asc.nullsfirst,name.desc', 'id.asc.asc', 'id.nullsfirst', 'id.nulls', '"id".desc', 'ports(id)', 'id()', 'id.asc.nullsfirst.x'])
  get(`/ports?select=id&order=${order}`)
for (const range of ['limit=2', 'limit=0', 'limit=-1', 'limit=x', 'limit=', 'limit=1.5', 'limit=2&offset=1', 'offset=2', 'offset=5', 'offset=6', 'offset=100', 'offset=-1', 'offset=x', 'limit=x&offset=1', 'limit=0&offset=1', 'limit=2&limit=1', 'limit=2000', 'limit=2&offset=-1', 'limit=99999999999999999999', 'offset=99999999999999999999', 'limit', 'limit=+2', 'limit= 2'])
  for (const count of [undefined, 'exact', 'planned', 'estimated', 'nope']) get(`/ports?select=id&order=id&${range}`, { headers: count ? { prefer: `count=${count}` } : {} })
for (const range of ['0-1', '1-', '0-0', '2-1', '-1', 'items=0-1', '4-100', '5-9', '9-9', '0-', 'x', '1-2x', '99999999999999999999-'])
  for (const query of ['', '&limit=3', '&limit=2&offset=1', '&limit=0', '&offset=3'])
    for (const count of [undefined, 'exact']) get(`/ports?select=id&order=id${query}`, { headers: { range, 'range-unit': 'items', ...(count ? { prefer: `count=${count}` } : {}) } })
add('HEAD', '/ports?order=id', { headers: { range: '0-1', prefer: 'count=exact' } })
for (const count of ['exact', 'planned', 'estimated']) {
  get('/ships?select=id,crew!inner(id)&crew.id=lt.3&order=id', { headers: { prefer: `count=${count}` } })
  get('/ships?select=id,crew(id)&crew=is.null&order=id', { headers: { prefer: `count=${count}` } })
  get('/ships?select=id,crew(id)&crew=not.is.null&crew.rank=eq.captain&order=id&limit=1', { headers: { prefer: `count=${count}` } })
  get('/ships?select=id,crew!left(id)&order=id', { headers: { prefer: `count=${count}` } })
  get('/ships?select=id,crew!inner(id,skills!inner(id))&crew.skills.label=eq.radio&order=id', { headers: { prefer: `count=${count}` } })
}

// ---- Embeds
const embeds = [
  ['ships', 'home_port_id(name)'], ['ships', 'ports(name)'], ['ships', 'ports!home_port_id(name)'], ['ships', 'ports!flag_port_id(name)'], ['ships', 'ports!ships_flag_fkey(name)'], ['ships', 'ships_flag_fkey(name)'],
  ['ships', 'p:ports!home_port_id(*)'], ['ships', 'home:ports!home_port_id(name),flag:ports!flag_port_id(name)'], ['ships', 'ports!nope(name)'], ['ships', 'licences(*)'], ['licences', 'ships(name)'], ['ships', 'crew(*)'], ['crew', 'ships(name)'], ['crew', 'ship_id(name)'],
  ['crew', 'crew_skills(level,skills(label))'], ['crew', 'skills(label)'], ['skills', 'crew(name)'], ['crew', 'skills!crew_skills(label)'], ['crew', 'crew(name)'], ['crew', 'mentor_id(name)'], ['crew', 'crew!mentor_id(name)'], ['crew', 'mentor:mentor_id(name),pupils:crew!mentor_id(name)'],
  ['crew', 'crew!crew_mentor_id_fkey(name)'], ['ports', 'ports(name)'], ['ports', 'parent_id(name)'], ['ports', 'parent:parent_id(name,parent:parent_id(name))'], ['ships', 'visits(day,cargo)'], ['visits', 'ships(name),ports(name)'], ['ships', 'visits(day,ports(name))'], ['visits', 'cargo_lines(*)'], ['cargo_lines', 'visits(cargo,ships(name))'],
  ['ships', 'mates(*)'], ['crew', 'mates(name)'], ['ships', 'captain(name)'], ['ships', 'captain!inner(name)'], ['crew', 'mates(name,mates(name))'], ['active_ships', 'ports(name)'], ['active_ships', 'crew(name)'], ['crew', 'active_ships(name)'], ['crew_list', 'ships(name)'], ['ports', 'active_ships(name)'], ['port_names', 'ships(name)'], ['ports', 'renamed_ships(title)'],
  ['renamed_ships', 'ports(name)'], ['renamed_ships', 'port_key(name)'], ['renamed_ships', 'crew(name)'], ['double_ports', 'ports(name)'], ['double_ports', 'ports!a_port(name)'], ['view_of_view', 'ports(name)'], ['totals', 'ports(name)'], ['port_stats', 'visits(*)'], ['visits', 'port_stats(name)'], ['vault_view', 'ports(name)'], ['ports', 'vault_view(*)'], ['ports', 'vault(*)'],
  ['logs', 'log_marks(*)'], ['log_marks', 'logs(*)'], ['ships', 'remarks(*)'], ['ships', 'nope(*)'], ['ships', 'crw(*)'], ['shipss', 'crew(*)'], ['notes', 'ships(*)'], ['ships', 'crew()'], ['ships', 'crew(skills())'], ['ships', 'crew(),id'], ['ships', 'crew(count)'], ['ships', 'n:crew(count)'], ['ships', 'crew(count())'], ['ships', 'crew(rank,id.sum())'], ['ships', 'crew(pay.avg(),pay.max())'],
  ['crew', '...ships(ship:name)'], ['crew', '...ships(name,...ports!home_port_id(port:name))'], ['crew', '...ships!inner(*)'], ['ships', '...crew(name)'], ['ships', '...home_port_id(port:name),crew(name,...ships(sn:name))'], ['crew', '...ships()'], ['licences', '...ships(name,speed)'], ['crew', '...ships(crew_total:id.sum())'], ['crew', 'rank,...ships(tonnage.sum())'],
  ['crew', '...ships(name,tonnage.sum(),count())'], ['crew', 'x:...ships(name)'], ['crew', 'ships!inner!ship_id(name)'], ['crew', 'ships!ship_id!inner(name)'], ['crew', 'ships!left(name)'], ['crew', 'ships!inner!left(name)'], ['crew', 'ships!(name)'], ['crew', 'ships!inner!left!x(name)'], ['ships', 'crew(name,ships(crew(ships(name))))'], ['ships', 'crew!inner(name)'], ['ships', 'crew!inner(id,skills!inner(label))'],
  ['ships', '*,crew(*),licences(*)'], ['ships', 'id,crew(name),c2:crew(rank)'], ['crew', 'ships(*,crew(*))'], ['paints', '*'], ['paints', 'shade'], ['paints', 'c:shade'], ['paints', 'shade::text'], ['crew', 'ships(licences(number))'], ['ports', 'ships(name)'], ['ports', 'ships!home_port_id(name)'], ['ports', 'ships!ships_flag_fkey(name)'], ['skills', 'crew(name,ships(name))'], ['crew', 'skills!inner(label)'], ['ships', 'licences!inner(number)'],
]
for (const [table, select] of embeds) {
  get(`/${table}?select=${select}`, { role: 'user' })
  get(`/${table}?select=*,${select}&limit=2`, { role: 'user' })
  get(`/${table}?select=${select}`, { headers: { prefer: 'count=exact' } })
}
for (const query of [
  'select=id,crew(name)&crew.rank=eq.captain', 'select=id,crew(name)&crew.order=name.desc', 'select=id,crew(name)&crew.limit=1', 'select=id,crew(name)&crew.limit=0', 'select=id,crew(name)&crew.offset=1', 'select=id,crew(name)&crew.limit=1&crew.offset=1&crew.order=id', 'select=id,crew!inner(name)&crew.rank=eq.captain', 'select=id,crew!inner(name)&crew.limit=0', 'select=id,c:crew(name)&c.rank=eq.captain', 'select=id,c:crew(name)&crew.rank=eq.captain',
  'select=id,crew(name)&crew.or=(rank.eq.captain,rank.eq.mate)', 'select=id,crew(name)&crew.not.or=(rank.eq.captain,rank.eq.mate)', 'select=id,crew(name)&crew.and=(id.gt.1,id.lt.3)', 'select=id,crew(name,skills(label))&crew.skills.label=eq.radio', 'select=id,crew(name,skills(label))&crew.skills.order=label.desc&crew.order=id.desc', 'select=id,crew!inner(name,skills!inner(label))&crew.skills.label=eq.radio', 'select=id&crew.id=eq.1', 'select=id,crew(name)&nope.id=eq.1', 'select=id,crew(name)&crew.nope.id=eq.1', 'select=id,crew(name)&crew.nope=eq.1',
  'select=id,crew(name)&crew=is.null', 'select=id,crew(name)&crew=not.is.null', 'select=id,crew()&crew=is.null', 'select=id,crew()&crew=not.is.null&crew.rank=eq.mate', 'select=id,c:crew()&c=is.null', 'select=id,c:crew()&crew=is.null', 'select=id,crew(name)&crew=eq.1', 'select=id,crew(name),licences(number)&or=(crew.is.null,licences.not.is.null)', 'select=id,crew(name),licences(number)&and=(crew.not.is.null,licences.is.null)', 'select=id,licences(number)&licences=is.null',
  'select=id,crew(name)&order=crew(name)', 'select=id,home_port_id(name)&order=home_port_id(name)', 'select=id,p:home_port_id(name)&order=p(name).desc.nullslast,id', 'select=id,p:home_port_id(name)&order=home_port_id(name)', 'select=id,p:home_port_id(id)&order=p(name)', 'select=id,p:home_port_id(name,info)&order=p(info->lat),id', 'select=id&order=nope(x)', 'select=id,crew(name,ships(name))&crew.order=ships(name)', 'select=id,...home_port_id(pn:name)&order=home_port_id(pn)', 'select=id,crew(name)&crew.limit=-1', 'select=id,crew(name)&limit=1&order=id.desc&crew.order=id.desc',
  'select=id,crew(name)&crew.limit=x', 'select=id,crew(name),visits(day)&visits.order=day&crew.order=name', 'select=id,visits(day,ports(name))&visits.ports.name=eq.Dunoon', 'select=id,visits!inner(day,ports!inner(name))&visits.ports.name=eq.Dunoon', 'select=crew(name),id&id=eq.1', 'select=id,crew(id)&crew.id=in.(1,2)&id=in.(1,2)', 'select=id,captain(name)&captain.name=eq.Ada', 'select=id,captain(name)&captain=not.is.null', 'select=id,captain(name)&order=captain(name),id', 'select=id,crew(name,pay)&crew.pay=gt.1600',
])
  for (const role of ['anon', 'service']) get(`/ships?${query.includes('order=') ? query : `${query}&order=id`}`, { role })
get('/secrets?select=*&order=id')
get('/secrets?select=*&order=id', { role: 'user' })
get('/secrets?select=*&order=id', { role: 'service' })

// ---- Functions
const call = (name, body, options = {}) => add('POST', `/rpc/${name}`, { body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body), ...options, headers: { ...json, ...options.headers } })
const functions = {
  add_up: [{ a: 1 }, { a: 1, b: 2 }, {}, { b: 1 }, { a: 'x' }, { a: 1, c: 2 }, { a: null }, [{ a: 5 }], [{ a: 1 }, { a: 2 }], [], 3, '', '{', { a: 1.5 }], hello: [{}, undefined, { x: 1 }], nothing: [{}], null_text: [{}], all_ships: [{}], one_ship: [{ ship_id: 1 }, { ship_id: 99 }], numbers: [{ n: 3 }, { n: 0 }], pairs: [{}], out_one: [{}], out_two: [{ inp: 3 }],
  echo_json: [{ data: { a: [1, 2] } }, { data: 'x' }, { data: null }, { a: 1 }], take_json: [{ a: 1 }, [{ a: 1 }], [1], 1, '"x"'], array_len: [{ list: [1, 2] }, { list: '{1,2,3}' }, { list: [] }, { list: 'x' }], sum_all: [{ v: [1, 2, 3] }, { v: '{4,5}' }], over: [{ a: 1 }, { a: 1, b: 2 }, { b: 1 }], amb: [{ a: 1 }], whoami: [{}], request_method: [{}], request_path: [{}],
  show_setting: [{ name: 'search_path' }, { name: 'statement_timeout' }, { name: 'transaction_read_only' }, { name: 'role' }, { name: 'request.jwt.claims' }, { name: 'TimeZone' }, { name: 'transaction_isolation' }], fail: [{ code: 'P0001' }, { code: '23505' }, { code: '23503' }, { code: '42501' }, { code: 'PT402' }, { code: 'PT999' }, { code: 'PTxyz' }, { code: '22012' }, { code: '40001' === 'x' ? '' : '25006' }, { code: '28000' }, { code: '0L000' }, { code: '54001' }, { code: '55000' }, { code: '53300' }, { code: '53400' }, { code: '57014' }, { code: 'XX000' }, { code: '08000' }, { code: '21000' }, { code: '42883' }, { code: '42P01' }, { code: '42P17' }, { code: 'HV000' }, { code: 'F0000' }, { code: '3B000' }, { code: '2F000' }, { code: 'P0002' }, { code: '22023' },
    { code: 'P0001', message: 'm', detail: 'd', hint: 'h' }, { code: 'PGRST', message: '{"code":"123","message":"custom","details":"dd","hint":"hh"}', detail: '{"status":418,"headers":{"X-Tea":"pot"}}' }, { code: 'PGRST', message: 'not json', detail: '{}' }, { code: 'PGRST', message: '{"code":"1","message":"x"}', detail: 'nope' }, { code: 'PGRST', message: '{"code":"1","message":"x"}', detail: '{"status":400}' }],
  set_headers: [{ headers: '[{"X-One":"1"},{"X-Two":"2"}]' }, { headers: '[{"Content-Type":"text/weird"}]' }, { headers: '{}' }, { headers: '[{"a":1}]' }, { headers: 'x' }, { headers: '[{"a":"1","b":"2"}]' }, { headers: '[]' }], set_status: [{ status: '201' }, { status: '418' }, { status: 'x' }, { status: '299abc' }], slow_isolation: [{}], with_timeout: [{}], bool_of: [{ b: true }, { b: null }, { b: 'x' }], char_of: [{ c: 'abc', b: '101' }], state_of: [{ s: 'docked' }, { s: 'x' }], dom: [{}], rec: [{}], int_array: [{}], json_list: [{}], null_ship: [{}], forbidden: [{}], a_procedure: [{}], full_title: [{}], stable_writer: [{}], notes_view_insert: [{}], nope: [{}, { x: 1 }, { x: 1, y: 2 }], helo: [{}], add_upp: [{ a: 1 }], dot: [{}], captain: [{}],
}
for (const [name, bodies] of Object.entries(functions))
  for (const body of bodies) {
    call(name, body)
    call(name, body, { role: 'user', headers: { accept: 'application/vnd.pgrst.object+json' } })
  }
for (const query of ['add_up?a=1', 'add_up?a=1&b=2', 'add_up?a=1&a=5', 'add_up', 'add_up?a=x', 'add_up?a=', 'add_up?a=eq.1', 'add_up?a=1&c=2', 'hello', 'hello?x=1', 'nothing', 'all_ships?select=id,name', 'all_ships?id=eq.1&select=id', 'all_ships?select=id&limit=2&offset=1', 'all_ships?select=name,crew(name)&order=id.desc', 'all_ships?name=eq.Waverley&select=id', 'all_ships?order=name&select=id', 'all_ships?order=name&select=id,name', 'all_ships?select=id,p:home_port_id(name)&order=id', 'all_ships?select=nope', 'one_ship?ship_id=1', 'one_ship?ship_id=1&select=name', 'one_ship?ship_id=99', 'one_ship?ship_id=1&select=name,crew(name)', 'numbers?n=3', 'numbers?n=3&limit=1', 'numbers?n=3&pgrst_scalar=gt.1', 'numbers?n=3&order=pgrst_scalar.desc', 'numbers?n=3&select=pgrst_scalar', 'pairs', 'pairs?k=eq.a', 'pairs?select=v&k=neq.a', 'pairs?order=v.nullsfirst&select=v', 'out_one', 'out_two?inp=1', 'echo_json?data={"a":1}', 'take_json', 'array_len?list={1,2}', 'sum_all?v=1&v=2&v=3', 'sum_all?v={1,2}', 'over?a=1', 'over?a=1&b=2', 'amb?a=1', 'whoami', 'request_method', 'request_path', 'request_header?name=x-test', 'request_cookie?name=c', 'slow_isolation', 'with_timeout', 'fail?code=P0001', 'add_note?body=x', 'stable_writer', 'bool_of?b=true', 'add_up?a=in.1', 'add_up?a=is.x', 'add_up?a=not.x', 'add_up?a=not', 'add_up?a=1&b=is.null', 'rec', 'int_array', 'json_list', 'null_ship', 'dot', 'nope?x=1', 'x/y', '', 'all_ships?select=count', 'all_ships?select=count()', 'all_ships?select=state,count()', 'all_ships?or=(id.eq.1,id.eq.3)&select=id'])
  for (const [method, headers] of [['GET', {}], ['HEAD', {}], ['GET', { prefer: 'count=exact' }], ['GET', { accept: 'application/vnd.pgrst.object+json' }], ['GET', { accept: 'text/csv' }]]) add(method, `/rpc/${query}`, { headers: { 'x-test': 'tested', cookie: 'c=biscuit; d=1', ...headers } })
for (const name of ['hello', 'nothing', 'all_ships', 'nope', 'add_up', 'change_notes']) for (const method of ['OPTIONS', 'PUT', 'PATCH', 'DELETE', 'FOO']) if (method !== 'FOO') add(method, `/rpc/${name}`)
for (const [name, type, body] of [['take_text', 'text/plain', 'some text'], ['take_text', 'application/json', '{"a":1}'], ['take_bytes', 'application/octet-stream', 'bytes'], ['take_bytes', 'text/plain', 'x'], ['hello', 'text/plain', 'x'], ['add_up', 'application/x-www-form-urlencoded', 'a=1&b=2'], ['add_up', 'application/x-www-form-urlencoded', 'a=x'], ['sum_all', 'application/x-www-form-urlencoded', 'v=1&v=2'], ['add_up', 'text/csv', 'a,b\n3,4'], ['add_up', 'text/xml', '<a/>'], ['add_up', 'image/png', 'x'], ['nope', 'text/plain', 'x'], ['nope', 'application/octet-stream', 'x'], ['take_json', 'application/json; charset=utf-8', '{"z":1}']])
  call(name, body, { headers: { 'content-type': type } })
for (const range of ['0-1', '2-', '9-']) get('/rpc/pairs', { headers: { range, prefer: 'count=exact' } })
for (const prefer of ['max-affected=1, handling=strict', 'max-affected=1', 'count=planned', 'count=estimated', 'count=exact, return=minimal', 'timezone=Europe/London', 'timezone=Nowhere', 'handling=strict, timezone=Nowhere', 'handling=strict, foo, bar=1', 'handling=lenient, foo'])
  for (const target of ['rpc/pairs', 'rpc/hello', 'ports?select=id&order=id']) get(`/${target}`, { headers: { prefer } })
get('/ships?select=launched,last_seen&order=id', { headers: { prefer: 'timezone=America/New_York' } })
for (const prefer of ['tx=rollback', `tx=rollback, ${full}`, 'tx=rollback, count=exact', 'tx=rollback, max-affected=1, handling=strict']) write('POST', '/rpc/change_notes', {}, { headers: { prefer } })
write('POST', '/rpc/add_note', { body: 'n' })
write('POST', '/rpc/add_note?select=body', { body: 'n', stars: 3 })
write('POST', '/rpc/change_notes?select=stars&stars=gt.2', {}, { headers: { accept: 'application/vnd.pgrst.object+json' } })

// ---- Writes
for (const prefer of [undefined, 'return=minimal', full, 'return=headers-only', `${full}, count=exact`, 'count=exact', 'count=planned', 'count=estimated']) {
  write('POST', '/skills', { id: 10, label: 'x' }, { prefer })
  write('POST', '/skills?select=label', [{ id: 10, label: 'x' }, { id: 11, label: 'y' }], { prefer })
  write('POST', '/notes', { body: 'b', stars: 1 }, { prefer })
  write('POST', '/notes', { body: 'b' }, { prefer, role: 'anon' })
  write('POST', '/skills', [], { prefer })
  write('PATCH', '/skills?id=eq.1', { label: 'z' }, { prefer })
  write('PATCH', '/skills?id=gt.1', { label: 'z' }, { prefer })
  write('PATCH', '/skills?id=eq.99', { label: 'z' }, { prefer })
  write('PATCH', '/skills?id=eq.1', {}, { prefer })
  write('PATCH', '/skills?id=eq.1', [], { prefer })
  write('DELETE', '/notes?stars=gt.0', undefined, { prefer })
  write('DELETE', '/notes?stars=eq.99', undefined, { prefer })
  write('PUT', '/skills?id=eq.1', { id: 1, label: 'put' }, { prefer })
  write('PUT', '/skills?id=eq.20', { id: 20, label: 'put' }, { prefer })
  write('POST', '/visits', { ship_id: 3, port_id: 3, day: '2024-01-01' }, { prefer })
  write('POST', '/notes_view', { body: 'v', stars: 1 }, { prefer })
  write('POST', '/active_ships', { id: 77, name: 'New' }, { prefer })
}
for (const [path, body] of [
  ['/skills', { id: 1, label: 'dup' }], ['/skills', { label: 'no id' }], ['/skills', { id: 10, nope: 1 }], ['/skills', { id: 'x', label: 'y' }], ['/skills', [{ id: 10 }, { label: 'y' }]], ['/skills', [{ id: 10, label: 'a' }, { id: 11, label: 'b', c: 1 }]], ['/skills', '{'], ['/skills', ''], ['/skills', '3'], ['/skills', 'null'], ['/skills', '[1]'], ['/skills', '{"id":10,"label":"a"} x'],
  ['/crew', { id: 10, name: 'x', ship_id: 99 }], ['/ports', { id: 10, name: 'P', info: { a: 1 }, raw: [1, { b: 2 }], tags: ['x', 'y"z'], opened: '2020-02-02', depth: 1.25 }], ['/ports', { id: 10, name: 'P', tags: '{a,b}', info: 'str' }], ['/ports', { id: 10, name: 'P', info: null, depth: 'NaN' }], ['/ships', { id: 10, name: 'S', berth: { x: 1, y: 2, label: 'q' }, state: 'docked', speed: -1 }], ['/ships', { id: 10, name: 'S', berth: { x: 1, label: 'q' }, state: 'docked', active: 'yes', span: '[1,2]' }], ['/ships', { id: 10, name: 'S', double_built: 3 }], ['/ships', { id: 10, name: 'S', code: 'much too long for it' }], ['/ships', { id: 10, name: 'S', 'odd name': 'o', 'with.dot': 3, 'quo"te': 'q', order: 2 }],
  ['/defaults', { id: 10 }], ['/defaults', {}], ['/defaults', [{ id: 10, a: null }, { id: 11, a: 'x' }]], ['/paints', { id: 10, label: 'p', shade: '#0000ff' }], ['/totals', { ships: 1 }], ['/port_stats', { name: 'x' }], ['/nope', { a: 1 }], ['/secrets', { id: 10, owner: 'u1', secret: 's' }], ['/secrets', { id: 10, owner: 'u2', secret: 's' }], ['/unreadable', { id: 1 }], ['/logs', { id: 9, day: '2024-05-05', text: 't' }], ['/logs', { id: 9, day: '2030-05-05' }], ['/Odd%20Table', { id: 9, 'Col A': 'z', 'b"c': 3 }], ['/skills', [{}, {}]], ['/empty_table', [{ id: 1 }, { id: 2 }]], ['/skills', '[{"id":10,"id":12,"label":"d"}]'], ['/skills', '{"id":10,"label":"\\u0000"}'], ['/skills', `{"id":10,"label":"${'é'.repeat(50)}"}`],
]) {
  write('POST', path, body, { prefer: full })
  write('POST', path, body, { prefer: 'return=headers-only' })
  write('POST', path, body, { role: 'anon' })
}
for (const query of ['columns=id,label', 'columns="id","label"', 'columns=id', 'columns=id,nope', 'columns=', 'columns=id,', 'columns=label', 'select=id', 'select=label,id', 'select=crew(name)', 'select=nope', 'on_conflict=id', 'on_conflict=nope', 'on_conflict=label', 'select=*,crew_skills(level)'])
  for (const prefer of [full, `${full}, missing=default`, `${full}, missing=null`]) {
    write('POST', `/skills?${query}`, { id: 10, label: 'x', extra: 1 }, { prefer })
    write('POST', `/skills?${query}`, [{ id: 10, label: 'x' }, { id: 11 }], { prefer })
    write('POST', `/defaults?${query.replace('label', 'a')}`, [{ id: 10, a: 'x' }, { id: 11, b: 3 }], { prefer })
    write('PATCH', `/defaults?id=eq.1&${query.replace('label', 'a')}`, { a: 'x', b: null }, { prefer })
  }
for (const columns of ['id,a,b,c,d,e,f', 'id,c,d', 'id']) for (const missing of ['default', 'null']) for (const body of [{ id: 10 }, [{ id: 10 }, { id: 11, b: 1, e: ['q'] }], { id: 10, a: null, d: { z: 1 } }, 5, '[', [1]]) write('POST', `/defaults?columns=${columns}`, body, { prefer: `${full}, missing=${missing}` })
for (const resolution of ['merge-duplicates', 'ignore-duplicates'])
  for (const prefer of [full, 'return=minimal', 'return=headers-only', 'count=exact']) {
    const both = `resolution=${resolution}, ${prefer}`
    write('POST', '/skills', [{ id: 1, label: 'm' }, { id: 10, label: 'n' }], { prefer: both })
    write('POST', '/skills', { id: 1, label: 'm' }, { prefer: both })
    write('POST', '/skills', { id: 1 }, { prefer: both })
    write('POST', '/skills', [], { prefer: both })
    write('POST', '/skills', [{ id: 1, label: 'm' }, { id: 1, label: 'n' }], { prefer: both })
    write('POST', '/ports?on_conflict=name', { id: 99, name: 'Oban' }, { prefer: both })
    write('POST', '/ports?on_conflict=country', { id: 99, name: 'Oban' }, { prefer: both })
    write('POST', '/notes', { body: 'x' }, { prefer: both })
    write('POST', '/crew_skills', [{ crew_id: 1, skill_id: 1, level: 9 }, { crew_id: 5, skill_id: 1, level: 9 }], { prefer: both })
    write('POST', '/empty_table', {}, { prefer: both })
    write('POST', '/active_ships', { id: 1, name: 'Via view' }, { prefer: both })
  }
for (const [path, body] of [['/skills?id=eq.1', { id: 2, label: 'x' }], ['/skills?id=eq.1', { label: 'x' }], ['/skills', { id: 1 }], ['/skills?id=gt.1', { id: 1 }], ['/skills?id=eq.1&label=eq.x', { id: 1 }], ['/skills?label=eq.x', { id: 1 }], ['/skills?id=eq.1&limit=1', { id: 1, label: 'a' }], ['/skills?id=not.eq.1', { id: 1 }], ['/skills?or=(id.eq.1)', { id: 1 }], ['/skills?id=eq.1', [{ id: 1, label: 'a' }, { id: 2, label: 'b' }]], ['/skills?id=eq.1', []], ['/skills?id=eq.1', '{'], ['/notes?body=eq.x', { body: 'x' }], ['/crew_skills?crew_id=eq.1&skill_id=eq.4', { crew_id: 1, skill_id: 4, level: 2 }], ['/crew_skills?crew_id=eq.1', { crew_id: 1 }], ['/nope?id=eq.1', { id: 1 }], ['/skills?id=eq.1&id=eq.1', { id: 1, label: 'z' }], ['/skills?id=eq(any).1', { id: 1 }], ['/skills?id=eq.1&order=id', { id: 1, label: 'q' }]])
  for (const prefer of [full, undefined, `${full}, count=exact`]) write('PUT', path, body, { prefer })
for (const [path, body] of [['/skills?id=eq.1', { id: 2 }], ['/skills?id=eq.1', { nope: 1 }], ['/skills?nope=eq.1', { label: 'x' }], ['/skills?id=eq.x', { label: 'x' }], ['/skills?or=(id.eq.1,id.eq.2)', { label: 'x' }], ['/skills?label=eq.knots', { label: 'changed' }], ['/ports?id=eq.1', { info: { q: 1 }, tags: ['z'] }], ['/ships?id=eq.1', { active: false }], ['/ships?home_port_id=eq.1', { remark: 'r' }], ['/skills?id=in.(1,2)', [{ label: 'a' }, { label: 'b' }]], ['/skills?id=eq.1&select=label,crew(name)', { label: 'x' }], ['/totals?ships=gt.0', { ships: 1 }], ['/crew_list?id=eq.1', { name: 'x' }], ['/active_ships?id=eq.1', { name: 'x' }], ['/secrets?id=eq.1', { secret: 'x' }], ['/secrets?id=eq.2', { secret: 'x' }], ['/ships?id=eq.1&select=id,crew(name)&crew.order=name.desc', { remark: 'x' }], ['/skills?id=gt.0&limit=-1', { label: 'x' }], ['/paints?id=eq.1', { shade: '#112233' }], ['/paints?shade=eq.%23ffffff', { label: 'w' }]])
  for (const prefer of [full, undefined, `${full}, count=exact`, `${full}, max-affected=1, handling=strict`]) write('PATCH', path, body, { prefer })
for (const path of ['/crew_skills?crew_id=eq.1', '/crew_skills?crew_id=eq.1&select=level,skills(label)', '/ships?id=eq.1', '/ports?id=eq.5&select=id,name', '/notes?or=(stars.eq.1,stars.is.null)', '/notes?nope=eq.1', '/nope?id=eq.1', '/secrets?id=gt.0', '/totals?ships=eq.1', '/licences?ship_id=eq.1', '/skills?id=eq.4', '/skills?id=eq.1', '/visits?ship_id=eq.2&port_id=eq.3', '/skills?id=eq.4&select=label&label=eq.cooking'])
  for (const prefer of [full, undefined, `${full}, count=exact`, `max-affected=1, handling=strict`]) write('DELETE', path, undefined, { prefer })
for (const [method, path, body] of [['POST', '/skills', [{ id: 10, label: 'a' }, { id: 11, label: 'b' }]], ['POST', '/skills', { id: 10, label: 'a' }], ['PATCH', '/skills?id=gt.1', { label: 'x' }], ['PATCH', '/skills?id=eq.1', { label: 'x' }], ['DELETE', '/notes?stars=gt.0', undefined], ['DELETE', '/notes?stars=eq.1', undefined]])
  for (const accept of ['application/vnd.pgrst.object+json', 'application/vnd.pgrst.object+json;nulls=stripped', 'text/csv', 'application/vnd.pgrst.array+json;nulls=stripped', 'text/plain', 'application/vnd.pgrst.plan+json']) for (const prefer of [full, undefined]) if (!accept.includes('plan')) write(method, path, body, { prefer, headers: { accept } })
for (const [type, body] of [['text/csv', 'id,label\n10,a\n11,NULL'], ['text/csv', 'id,label\n10,"q""x, y"'], ['text/csv', 'id,nope\n10,a'], ['application/x-www-form-urlencoded', 'id=10&label=a+b'], ['application/x-www-form-urlencoded', 'id=x'], ['text/plain', 'x'], ['application/vnd.pgrst.object+json', '{"id":10}'], ['application/octet-stream', 'x'], ['application/json;charset=utf-8', '{"id":10,"label":"u"}']])
  write('POST', '/skills', body, { prefer: full, headers: { 'content-type': type } })
write('POST', '/skills', { id: 10, label: 'x' }, { prefer: `handling=strict, foo, ${full}` })
write('POST', '/skills', { id: 10, label: 'x' }, { prefer: `handling=strict, ${full}` })
write('POST', '/remarks', { id: 10, body: 'x' }, { prefer: full, headers: { 'content-profile': 'annex' } })
write('POST', '/remarks', { id: 10, body: 'x' }, { prefer: full, headers: { 'accept-profile': 'annex' } })

// ---- What is answered
for (const accept of ['*/*', 'application/json', 'text/csv', 'application/vnd.pgrst.object+json', 'application/vnd.pgrst.object', 'application/vnd.pgrst.array+json', 'application/vnd.pgrst.array+json;nulls=stripped', 'application/vnd.pgrst.object+json;nulls=stripped', 'application/geo+json', 'text/plain', 'image/png', 'application/octet-stream', 'text/*', 'nonsense', 'text/csv, application/json', 'text/plain, text/csv;q=0.5', 'application/json;q=0.1, text/csv', 'application/openapi+json', 'text/html, */*;q=0.1', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'text/vnd.harbour.list', 'image/x-dot', 'text/xml'])
  for (const path of ['/ports?order=id', '/ports?id=eq.1', '/ports?id=eq.99', '/skills', '/skills?select=id', '/empty_table', '/rpc/hello', '/rpc/pairs', '/rpc/dot', '/rpc/one_ship?ship_id=1', '/ships?select=id,crew(name)&id=eq.1']) get(path, { headers: { accept } })
for (const profile of ['annex', 'harbour', 'hidden', 'Annex', '']) {
  get('/items', { headers: { 'accept-profile': profile } })
  get('/ports?select=id', { headers: { 'accept-profile': profile } })
  get('/items', { headers: { 'content-profile': profile } })
  write('POST', '/items', { id: 9, label: 'x' }, { prefer: full, headers: { 'content-profile': profile } })
  get('/remarks?select=*,ships(name)', { headers: { 'accept-profile': profile } })
}
for (const path of ['/ports/1', '/ports/', '//ports', '/rpc', '/rpc/', '/rpc/a/b', '/po%2Frts', '/%70orts?select=id', '/ports?select=id&select=name', '/ports?id=eq.1&id=eq.2', '/ports?id', '/ports?id=', '/ports?=eq.1', '/ports?id=eq.1;name=eq.Gourock&select=id', '/ports?select', '/ports?order', '/ports?SELECT=id', '/ports?Id=eq.1', '/ports?a.b.c=eq.1', '/ports?id=eq.1&&select=id', '/ports?select=name&name=eq.Gour%6Fck', '/ports?select=name&name=eq.%C3%8Dlhavo', '/ships?select=name&name=eq.100%25%20*star_', '/ships?select=name&name=like.100%25*', '/ships?select=name&code=eq.'])
  for (const method of ['GET', 'HEAD', 'OPTIONS']) add(method, path)
for (const method of ['TRACE', 'LINK', 'SEARCH', 'PROPFIND']) for (const path of ['/ports', '/']) add(method, path)
for (const authorization of ['Bearer', 'Bearer ', 'Bearer x', 'Bearer a.b', 'Bearer a.b.c', 'Basic abc', 'bearer x', 'Token x']) get('/ports?select=id&limit=1', { headers: { authorization } })
for (const role of ['anon', 'user']) for (const method of ['GET', 'HEAD', 'OPTIONS']) add(method, '/', { role, headers: { host: 'described' } })
get('/', { headers: { 'accept-profile': 'annex' } })
get('/', { headers: { accept: 'application/json' } })
get('/', { headers: { accept: 'text/csv' } })
// ---- Invalid query strings: a valid one with one character added, removed or replaced
const right = ['select=id,name,crew(name,skills(label)),p:home_port_id(name)', 'id=eq.1', 'name=in.("a",b)', 'or=(id.eq.1,and(name.eq.x,id.gt.2))', 'order=id.desc.nullslast,name', 'name=not.like.*a*', 'info->a->>b=eq.1', 'select=id::text,x:name,...home_port_id(name)', 'name=like(any).{a,b}', 'words=fts(english).x', 'select=count(),id.sum()', 'crew.order=name&select=crew(name)']
let seed = 7
const random = (n) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n
const marks = '.,()"-:!*>'
for (const query of right)
  for (let i = 0; i < 28; i++) {
    const at = random(query.length + 1)
    const mark = marks[random(marks.length)]
    const kind = random(3)
    get(`/ships?${query.slice(0, at)}${kind === 0 ? '' : mark}${query.slice(kind === 1 ? at : at + 1)}`)
  }
