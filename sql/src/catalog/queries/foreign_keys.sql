-- Every foreign key, one JSON object a row. Partitions' own copies are left out.
with keys as (
  select conrelid, (select array_agg(key order by key) from unnest(conkey) as key) as columns
  from pg_constraint
  where contype in ('p', 'u')
)
select json_build_object(
  'constraint', f.conname,
  'table', json_build_object('schema', n.nspname, 'name', c.relname),
  'foreign_table', json_build_object('schema', fn.nspname, 'name', fc.relname),
  'columns', (
    select json_agg(json_build_array(a.attname, fa.attname) order by pair.position)
    from unnest(f.conkey, f.confkey) with ordinality as pair (col, ref, position)
    join pg_attribute a on a.attrelid = f.conrelid and a.attnum = pair.col
    join pg_attribute fa on fa.attrelid = f.confrelid and fa.attnum = pair.ref
  ),
  'one_to_one', exists (
    select from keys k
    where k.conrelid = f.conrelid and k.columns = (select array_agg(key order by key) from unnest(f.conkey) as key)
  )
)
from pg_constraint f
join pg_class c on c.oid = f.conrelid
join pg_namespace n on n.oid = c.relnamespace
join pg_class fc on fc.oid = f.confrelid
join pg_namespace fn on fn.oid = fc.relnamespace
where f.contype = 'f' and f.conparentid = 0
order by f.conrelid, f.conname
