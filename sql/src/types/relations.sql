-- Everything a type generator needs of the relations of some schemas, as one JSON list.
with kinds as (
  select c.oid, n.nspname as schema, c.relname as name, c.relkind in ('v', 'm') as is_view,
         pg_relation_is_updatable(c.oid, true) as events
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any ($1) and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
)
select coalesce(json_agg(json_build_object(
  'schema', k.schema, 'name', k.name, 'is_view', k.is_view,
  'insertable', k.events & 8 = 8, 'updatable', k.events & 4 = 4,
  'columns', (
    select coalesce(json_agg(json_build_object(
      'name', a.attname, 'type', a.atttypid::bigint, 'nullable', not a.attnotnull,
      'optional', not a.attnotnull or a.atthasdef or a.attidentity <> '',
      'generated', a.attidentity = 'a' or a.attgenerated <> ''
    ) order by a.attname), '[]')
    from pg_attribute a
    where a.attrelid = k.oid and a.attnum > 0 and not a.attisdropped
  ),
  'relationships', (
    select coalesce(json_agg(json_build_object(
      'name', f.conname,
      'columns', (select json_agg(a.attname order by o) from unnest(f.conkey) with ordinality u (n, o)
                  join pg_attribute a on a.attrelid = f.conrelid and a.attnum = u.n),
      'one_to_one', exists (select from pg_constraint u where u.conrelid = f.conrelid and u.contype in ('p', 'u')
                            and u.conkey @> f.conkey and u.conkey <@ f.conkey),
      'relation', r.relname,
      'referenced', (select json_agg(a.attname order by o) from unnest(f.confkey) with ordinality u (n, o)
                     join pg_attribute a on a.attrelid = f.confrelid and a.attnum = u.n)
    ) order by f.conname), '[]')
    from pg_constraint f
    join pg_class r on r.oid = f.confrelid
    join pg_namespace rn on rn.oid = r.relnamespace
    where f.conrelid = k.oid and f.contype = 'f' and rn.nspname = any ($1)
  )
) order by k.schema, k.name), '[]')
from kinds k
