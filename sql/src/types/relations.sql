-- Returns tables and views of the schemas $1 with their columns as one JSON list, for type generation.
with kinds as (
  select c.oid, n.nspname as schema, c.relname as name, c.relkind in ('v', 'm') as is_view, c.reltype::bigint as row_type,
         pg_relation_is_updatable(c.oid, true) as events
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any ($1) and c.relkind in ('r', 'p', 'v', 'm', 'f')
)
select coalesce(json_agg(json_build_object(
  'schema', k.schema, 'name', k.name, 'is_view', k.is_view, 'oid', k.oid::bigint, 'row_type', k.row_type,
  'insertable', k.events & 8 = 8, 'updatable', k.events & 4 = 4,
  'columns', (
    select coalesce(json_agg(json_build_object(
      'name', a.attname, 'number', a.attnum, 'type', a.atttypid::bigint, 'nullable', not a.attnotnull,
      'optional', not a.attnotnull or a.atthasdef or a.attidentity <> '',
      'generated', a.attidentity = 'a' or a.attgenerated <> ''
    ) order by a.attname), '[]')
    from pg_attribute a
    where a.attrelid = k.oid and a.attnum > 0 and not a.attisdropped
  )
) order by k.schema, k.name), '[]')
from kinds k
