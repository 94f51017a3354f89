-- Enum types of schema $1 with their values and the columns that use them, as one JSON array of at most $2 elements.
select coalesce(json_agg(f), '[]') from (
  select t.typname as name,
         coalesce((select json_agg(l.enumlabel order by l.enumsortorder) from pg_enum l where l.enumtypid = t.oid), '[]') as values,
         coalesce((
           select json_agg(n.nspname || '.' || c.relname || '.' || a.attname order by n.nspname, c.relname, a.attnum)
           from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
           where a.atttypid in (t.oid, t.typarray) and not a.attisdropped and c.relkind in ('r', 'p', 'f') and not c.relispartition
         ), '[]') as columns
  from pg_type t
  where t.typtype = 'e' and t.typnamespace = (select oid from pg_namespace where nspname = $1)
  order by t.typname limit $2
) f
