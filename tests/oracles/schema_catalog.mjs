// The objects that the schema contains now, read from PostgreSQL's catalog.

const CATALOG = `
select json_build_object(
  'relations', (
    select coalesce(json_agg(json_build_object(
      'name', c.relname, 'kind', c.relkind, 'rls', c.relrowsecurity,
      'columns', (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
          'generated', a.attgenerated <> '', 'required', a.attnotnull) order by a.attnum)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
      'policies', (select coalesce(json_agg(polname), '[]') from pg_policy where polrelid = c.oid),
      'triggers', (select coalesce(json_agg(tgname), '[]') from pg_trigger where tgrelid = c.oid and not tgisinternal),
      'key', (select a.attname from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
        where k.conrelid = c.oid and k.contype = 'p'),
      'unique', (select coalesce(json_agg(k.conname), '[]') from pg_constraint k where k.conrelid = c.oid and k.contype = 'u'),
      'references', (select coalesce(json_agg(json_build_object('name', k.conname, 'to', k.confrelid::regclass::text)), '[]')
        from pg_constraint k where k.conrelid = c.oid and k.contype = 'f'),
      'readers', (select coalesce(json_agg(distinct v.relname), '[]') from pg_depend d join pg_rewrite w on w.oid = d.objid
        join pg_class v on v.oid = w.ev_class where d.refobjid = c.oid and v.oid <> c.oid)
    ) order by c.relname), '[]')
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p') and not c.relispartition),
  'functions', (
    select coalesce(json_agg(json_build_object('name', p.proname, 'identity', p.oid::regprocedure::text, 'set', p.proretset,
      'results', (select json_object_agg(name, format_type(type, null)) from (
          select name, type from unnest(p.proargnames, p.proallargtypes, p.proargmodes) as results (name, type, mode) where mode = 't'
          union all select a.attname, a.atttypid from pg_type t join pg_attribute a on a.attrelid = t.typrelid where t.oid = p.prorettype and a.attnum > 0 and not a.attisdropped) as one),
      'arguments', (select coalesce(json_agg(json_build_object('name', name, 'type', format_type(type, null)) order by at), '[]')
        from unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) with ordinality as arguments (name, type, at)))
      order by p.oid::regprocedure::text), '[]')
    from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname like 'f\\_%'),
  'enums', (select coalesce(json_object_agg(typname, labels), '{}') from (
    select t.typname, json_agg(e.enumlabel order by e.enumsortorder) as labels from pg_type t join pg_enum e on e.enumtypid = t.oid
    where t.typnamespace = 'public'::regnamespace group by t.typname) as one),
  'domains', (select coalesce(json_object_agg(t.typname, format_type(t.typbasetype, t.typtypmod)), '{}')
    from pg_type t where t.typnamespace = 'public'::regnamespace and t.typtype = 'd'),
  'publications', (select coalesce(json_agg(pubname), '[]') from pg_publication)
)`

export async function catalogOf(session) {
  const [text] = await session.query(CATALOG)
  const catalog = JSON.parse(text)
  catalog.tables = catalog.relations.filter((one) => one.kind === 'r' || one.kind === 'p')
  return catalog
}

/** The schema before the first change. */
export const START = `
create type mood as enum ('sad', 'ok', 'glad');
create domain score as integer check (value >= 0);
create table t_alpha (id integer primary key, a integer, b text, c mood, d date, e score);
create table t_beta (id integer primary key, alpha integer references t_alpha, a numeric(10,2), b timestamp with time zone, c boolean);
create table t_gamma (id bigint primary key, a uuid, b jsonb, c real, d text[]);
create table t_delta (id integer primary key, beta integer references t_beta, a text, b integer[], c inet);
insert into t_alpha select n, n * 7, 'T-' || n, 'ok', '2024-01-01'::date + n, n from generate_series(1, 6) as n;
insert into t_beta select n, n, n + 0.25, '2024-01-01T00:30:00Z'::timestamptz + n * interval '26 hours', n % 2 = 0 from generate_series(1, 6) as n;
insert into t_gamma select n, 'dea27321-f988-4a57-93e4-8eeb38f3cf10', '{"n":1}', n + 0.1, '{t1}' from generate_series(1, 6) as n;
insert into t_delta select n, n, 'T-' || n, array[n, n + 1], '10.0.0.1' from generate_series(1, 6) as n;
create view v_alpha as select id, a, b, d from t_alpha;
create materialized view m_beta as select id, a, b from t_beta;
create function f_over(n integer) returns setof t_alpha language sql stable as $$ select * from public.t_alpha where id > n $$;
create function f_rows(n integer) returns table (id integer, v date) language sql stable as $$ select id, '2024-01-01'::date + id from generate_series(1, n) as id $$;
create function f_one(v date) returns text language sql immutable as $$ select v::text $$;
grant usage on schema public to anon, authenticated, service_role;
grant all on all tables in schema public to anon, authenticated, service_role;
alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
`
