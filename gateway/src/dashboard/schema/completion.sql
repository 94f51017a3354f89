-- Names for the completion in the SQL editor, as one JSON object: relations with their columns, functions, types. $1 is the maximum length of each
-- list.
with schemas as (
  select oid, nspname from pg_namespace
  where nspname not like 'pg\_%' and nspname not in ('information_schema', 'cloch')
), relations as (
  select c.oid, s.nspname, c.relname
  from pg_class c join schemas s on s.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
  order by s.nspname <> 'public', s.nspname, c.relname limit $1
)
select json_build_object(
  'tables', (select coalesce(json_agg(json_build_array(r.nspname, r.relname, (
      select coalesce(json_agg(a.attname order by a.attnum), '[]')
      from pg_attribute a where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped))), '[]') from relations r),
  'functions', (select coalesce(json_agg(json_build_array(f.nspname, f.proname, f.arguments, f.result)), '[]') from (
      select s.nspname, p.proname, pg_get_function_identity_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result
      from pg_proc p join schemas s on s.oid = p.pronamespace
      where p.prorettype <> 'trigger'::regtype order by s.nspname <> 'public', s.nspname, p.proname limit $1) f),
  'types', (select coalesce(json_agg(json_build_array(t.nspname, t.typname)), '[]') from (
      select s.nspname, t.typname from pg_type t join schemas s on s.oid = t.typnamespace
      where t.typtype in ('e', 'd') order by 1, 2 limit $1) t),
  'truncated', (select count(*) from relations) >= $1
)
