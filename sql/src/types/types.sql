-- All types, as a JSON list with the data from which their TypeScript types are derived.
select json_agg(json_build_object(
  'oid', t.oid::bigint, 'schema', n.nspname, 'name', t.typname, 'kind', t.typtype::text,
  'relation', coalesce(c.relkind::text, ''),
  'element', case when exists (select from pg_type e where e.oid = t.typelem and e.typarray = t.oid) then t.typelem::bigint end,
  'base', case when t.typtype = 'd' then t.typbasetype::bigint end,
  'labels', case when t.typtype = 'e' then
    (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid) end,
  'fields', case when c.relkind = 'c' then
    (select json_agg(json_build_object('name', a.attname, 'type', a.atttypid::bigint) order by a.attnum)
     from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) end
) order by n.nspname, t.typname)
from pg_type t
join pg_namespace n on n.oid = t.typnamespace
left join pg_class c on c.oid = t.typrelid
