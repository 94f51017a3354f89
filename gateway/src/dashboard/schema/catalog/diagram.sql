-- Tables of schema $1 with columns and foreign keys, as one JSON array of at most $2 elements.
select coalesce(json_agg(f), '[]') from (
  select c.relname as name, c.relkind = 'p' as partitioned,
         coalesce((
           select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', not a.attnotnull,
                    'key', coalesce(a.attnum = any(i.indkey::int2[]), false)) order by a.attnum)
           from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         ), '[]') as columns,
         coalesce((
           select json_agg(json_build_object('name', k.conname, 'schema', rn.nspname, 'table', r.relname,
             'columns', (select json_agg(a.attname order by o) from unnest(k.conkey) with ordinality u (number, o)
                         join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number),
             'referenced', (select json_agg(a.attname order by o) from unnest(k.confkey) with ordinality u (number, o)
                            join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.number)) order by k.conname)
           from pg_constraint k join pg_class r on r.oid = k.confrelid join pg_namespace rn on rn.oid = r.relnamespace
           where k.conrelid = c.oid and k.contype = 'f' and k.conparentid = 0
         ), '[]') as foreign_keys
  from pg_class c
  left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relnamespace = (select oid from pg_namespace where nspname = $1) and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname limit $2
) f
