-- Relations of the given schemas ($1), as a JSON list with all data that the type generator needs.
with kinds as (
  select c.oid, n.nspname as schema, c.relname as name, c.relkind in ('v', 'm') as is_view, c.reltype::bigint as row_type,
         pg_relation_is_updatable(c.oid, true) as events, c.relkind,
         -- If a view has an INSTEAD OF trigger, or an INSTEAD rule without a condition, the trigger or the rule writes the rows. Therefore
         -- all columns of the view can be written.
         exists (select from pg_trigger g where g.tgrelid = c.oid and g.tgtype & 64 <> 0 and g.tgtype & 20 <> 0 and not g.tgisinternal)
           or exists (select from pg_rewrite r where r.ev_class = c.oid and r.is_instead and r.ev_type in ('2', '3') and r.ev_qual::text = '<>')
           as writes_rows
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any ($1) and c.relkind in ('r', 'p', 'v', 'm', 'f')
)
select coalesce(json_agg(json_build_object(
  'schema', k.schema, 'name', k.name, 'is_view', k.is_view, 'oid', k.oid::bigint, 'row_type', k.row_type,
  'insertable', k.events & 8 = 8, 'updatable', k.events & 4 = 4,
  'columns', (
    select coalesce(json_agg(json_build_object(
      'name', a.attname, 'number', a.attnum, 'type', a.atttypid::bigint, 'nullable', not (a.attnotnull or t.typnotnull),
      'optional', not (a.attnotnull or t.typnotnull) or a.atthasdef or a.attidentity <> '',
      'generated', case k.relkind when 'v' then not (k.writes_rows or pg_column_is_updatable(k.oid, a.attnum, false))
                     else a.attidentity = 'a' or a.attgenerated <> '' end
    ) order by a.attname), '[]')
    from pg_attribute a join pg_type t on t.oid = a.atttypid
    where a.attrelid = k.oid and a.attnum > 0 and not a.attisdropped
  )
) order by k.schema, k.name), '[]')
from kinds k
