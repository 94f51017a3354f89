-- All primary, unique and foreign keys, with the numbers and names of their columns. They are used for relationships and for the keys of views.
-- `inherited` is true if a partition has the key as a copy of its parent's key.
select json_build_object(
  'constraint', k.conname,
  'kind', k.contype,
  'inherited', k.conparentid <> 0,
  'relation', k.conrelid::int8,
  'table', json_build_object('schema', n.nspname, 'name', c.relname),
  'columns', (
    select json_agg(json_build_array(key.number, a.attname) order by key.position)
    from unnest(k.conkey) with ordinality as key (number, position)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = key.number
  ),
  'referred', case when k.contype = 'f' then json_build_object(
    'relation', k.confrelid::int8,
    'table', json_build_object('schema', fn.nspname, 'name', fc.relname),
    'columns', (
      select json_agg(json_build_array(key.number, a.attname) order by key.position)
      from unnest(k.confkey) with ordinality as key (number, position)
      join pg_attribute a on a.attrelid = k.confrelid and a.attnum = key.number
    )
  ) end
)
from pg_constraint k
join pg_class c on c.oid = k.conrelid
join pg_namespace n on n.oid = c.relnamespace
left join pg_class fc on fc.oid = k.confrelid
left join pg_namespace fn on fn.oid = fc.relnamespace
where k.contype in ('p', 'u', 'f')
order by k.conrelid, k.conname
