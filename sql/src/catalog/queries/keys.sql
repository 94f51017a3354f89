-- The columns of every primary and foreign key, by number and name: what a view may show of them.
select json_build_object(
  'constraint', k.conname,
  'kind', k.contype,
  'relation', k.conrelid::int8,
  'table', json_build_object('schema', n.nspname, 'name', c.relname),
  'columns', (
    select json_agg(json_build_array(key.number, a.attname) order by key.position)
    from unnest(k.conkey) with ordinality as key (number, position)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = key.number
  ),
  'foreign_relation', k.confrelid::int8,
  'foreign_columns', (
    select json_agg(json_build_array(key.number, a.attname) order by key.position)
    from unnest(k.confkey) with ordinality as key (number, position)
    join pg_attribute a on a.attrelid = k.confrelid and a.attnum = key.number
  )
)
from pg_constraint k
join pg_class c on c.oid = k.conrelid
join pg_namespace n on n.oid = c.relnamespace
where k.contype in ('p', 'f')
order by k.conrelid, k.conname
