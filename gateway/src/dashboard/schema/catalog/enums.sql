-- Enum types of schema $1, with their values and the columns that use them, as one JSON array of at most $2 elements. The columns of all types are
-- read in one scan, because pg_attribute has no index on the type.
with listed as (
  select oid, typname, typarray from pg_type
  where typtype = 'e' and typnamespace = (select oid from pg_namespace where nspname = $1)
  order by typname limit $2
), used as (
  select l.oid, json_agg(n.nspname || '.' || c.relname || '.' || a.attname order by n.nspname, c.relname, a.attnum) as columns
  from (select oid, oid as type from listed union all select oid, typarray from listed) l
  join pg_attribute a on a.atttypid = l.type and not a.attisdropped
  join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p', 'f') and not c.relispartition
  join pg_namespace n on n.oid = c.relnamespace
  group by l.oid
)
select coalesce(json_agg(f), '[]') from (
  select t.typname as name,
         coalesce((select json_agg(l.enumlabel order by l.enumsortorder) from pg_enum l where l.enumtypid = t.oid), '[]') as values,
         coalesce(u.columns, '[]') as columns
  from listed t
  left join used u on u.oid = t.oid
  order by t.typname
) f
