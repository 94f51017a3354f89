/**
 * The tables whose changes are compared. They have columns of all common types and every kind of replica identity, with and without row-level
 * security.
 */

export const USERS = ['0f8fad5b-d9cb-469f-a165-000000000001', '0f8fad5b-d9cb-469f-a165-000000000002', '0f8fad5b-d9cb-469f-a165-000000000003']
export const ORGANISATIONS = ['north', 'south']

const uuids = [...USERS, '00000000-0000-0000-0000-000000000000']
const words = ['', 'a', 'A', 'clyde', 'Clyde Ness', "it's", 'a,b', '{"x"}', 'back\\slash', 'naïve €', 'line\nbreak', '100%', 'null', 'new-tuple: x']

/** Column types: the declaration, and texts of values. `order`: whether filters can compare values by their order. */
export const types = {
  int2: { sql: 'int2', values: ['0', '1', '-32768', '32767', '7'], order: true },
  int4: { sql: 'int4', values: ['0', '1', '-2147483648', '2147483647', '7'], order: true },
  int8: { sql: 'int8', values: ['0', '1', '-9223372036854775808', '9007199254740993', '7'], order: true },
  numeric: { sql: 'numeric', values: ['0', '1.50', '-0.001', '12345678901234567890.123456789', 'NaN', '1e30'], order: true },
  money: { sql: 'numeric(10,2)', values: ['0', '1.5', '-12345678.99', '7'], order: true },
  float4: { sql: 'float4', values: ['0', '1.5', '-3.25', '1e10', 'Infinity'], order: true },
  float8: { sql: 'float8', values: ['0', '0.1', '-1e-10', '1e300', 'NaN', '-Infinity'], order: true },
  bool: { sql: 'bool', values: ['true', 'false'], order: false },
  text: { sql: 'text', values: words, order: true },
  varchar: { sql: 'varchar(20)', values: words.filter((word) => word.length <= 20), order: true },
  char: { sql: 'char(3)', values: ['', 'a', 'abc'], order: true },
  uuid: { sql: 'uuid', values: uuids, order: true },
  date: { sql: 'date', values: ['2026-11-27', '1999-12-31', '0044-03-15 BC', 'infinity'], order: true },
  time: { sql: 'time', values: ['00:00:00', '23:59:59.999999', '12:30'], order: true },
  timestamp: { sql: 'timestamp', values: ['2026-11-27 12:00:00', '1999-12-31 23:59:59.5'], order: true },
  timestamptz: { sql: 'timestamptz', values: ['2026-11-27 12:00:00+00', '2026-06-30 12:00:00.25+02'], order: true },
  interval: { sql: 'interval', values: ['1 day', '02:03:04', '1 year 2 mons'], order: true },
  json: { sql: 'json', values: ['{"a": 1, "b": [null, true]}', '[]', '"x"', '{"big": 12345678901234567890}'], order: false },
  jsonb: { sql: 'jsonb', values: ['{"a": 1, "b": [null, true]}', '[]', '"x"', 'null', '1e400'], order: false },
  bytea: { sql: 'bytea', values: ['\\x', '\\x00ff', '\\x636c7964'], order: false },
  ints: { sql: 'int4[]', values: ['{}', '{1,2,NULL}', '{{1,2},{3,4}}'], order: false },
  texts: { sql: 'text[]', values: ['{}', '{a,"b c",NULL,"q\\"x"}'], order: false },
  mood: { sql: 'public.mood', values: ['calm', 'rough', 'very rough'], order: true },
  inet: { sql: 'inet', values: ['192.0.2.1', '2001:db8::/32'], order: true },
  bit: { sql: 'bit(3)', values: ['101', '000'], order: false },
  point: { sql: 'point', values: ['(1,2)'], order: false },
  range: { sql: 'int4range', values: ['[1,5)', 'empty', '(,)'], order: false },
}

const all = Object.keys(types)
const numbers = all.slice(0, 9), moments = all.slice(9, 18), others = all.slice(18)

/** Returns a table with a key and one column for each type. The column has the name of the type. */
const table = (columns, { key = 'id int4 primary key', further = '', identity = 'default', policy = null, after = '' } = {}) => ({ columns, key, further, identity, policy, after })

export const tables = {
  numbers: table(numbers),
  numbers_whole: table(numbers, { identity: 'full' }),
  moments: table(moments, { identity: 'full' }),
  others: table(others),
  pairs: table(['text', 'int4'], { key: "id int4, b text default 'b'", further: ', primary key (b, id)', identity: 'full' }),
  by_index: table(['int4', 'text'], { further: ', other int4 not null', after: 'create unique index by_index_other on public.by_index (other); alter table public.by_index replica identity using index by_index_other;' }),
  keyless: table(['text', 'int4'], { key: 'id int4', identity: 'full' }),
  unreadable: table(['text'], { after: 'revoke select on public.unreadable from anon, authenticated;' }),
  only_inserts: table(['text'], { identity: 'nothing' }),
  computed: table(['int4', 'text'], { further: ', half numeric generated always as (int4 / 2.0) stored, low text generated always as (lower(text)) stored' }),
  computed_whole: table(['int4'], { further: ', twice int8 generated always as (int4::int8 * 2) stored', identity: 'full' }),
  toasted: table(['int4'], { further: ', large text', after: 'alter table public.toasted alter column large set storage external;' }),
  toasted_whole: table(['int4'], { further: ', large text', identity: 'full', after: 'alter table public.toasted_whole alter column large set storage external;' }),
  guarded_columns: table(['int4', 'text'], { after: 'revoke select on public.guarded_columns from anon, authenticated; grant select (id, int4) on public.guarded_columns to anon, authenticated;' }),
  owned: table(['uuid', 'int4'], { policy: 'uuid = (select auth.uid())' }),
  owned_whole: table(['uuid', 'text'], { policy: 'uuid = auth.uid()', identity: 'full' }),
  of_organisation: table(['text', 'bool'], { further: ', org text', policy: "bool or org = (auth.jwt() ->> 'org')", identity: 'full' }),
  of_members: table(['int4'], { policy: 'exists (select from public.members as m where m.user_id = auth.uid() and m.n = of_members.int4)' }),
  by_function: table(['int4'], { policy: 'public.is_even(int4)', identity: 'full' }),
  closed: table(['int4'], { policy: 'false', identity: 'full' }),
  switched: table(['int4', 'uuid'], { policy: 'uuid = auth.uid()', identity: 'full' }),
}

const create = ([name, { columns, key, further, identity, policy, after }]) => `
create table public.${name} (${[key, ...columns.map((type) => `"${type}" ${types[type].sql}`)].join(', ')}${further});
grant all on public.${name} to anon, authenticated, service_role;
${identity === 'default' ? '' : `alter table public.${name} replica identity ${identity};`}
${policy ? `alter table public.${name} enable row level security; create policy "Readers" on public.${name} for select using (${policy});` : ''}
${after}
alter publication supabase_realtime add table public.${name};`

export const migration = `
create type public.mood as enum ('calm', 'rough', 'very rough');
create table public.members (user_id uuid, n int);
grant select on public.members to anon, authenticated, service_role;
create function public.is_even(n int) returns boolean language plpgsql stable as $$
begin
  return n % 2 = 0 and auth.role() <> 'anon';
end $$;
create table public.oracle_marks (id int primary key);
grant select on public.oracle_marks to anon, authenticated, service_role;
alter publication supabase_realtime add table public.oracle_marks;
${Object.entries(tables).map(create).join('\n')}
`
