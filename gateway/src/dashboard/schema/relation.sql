-- Columns of the relation $2 in schema $1, with the properties that are needed to read and change rows: type, key, generated columns, estimated
-- number of rows.
select a.attname::text as name, format_type(a.atttypid, -1) as type_name,
       t.typlen = -1 and t.typcategory not in ('S', 'N', 'D') as is_large, a.attnotnull as is_required,
       a.attgenerated <> '' or a.attidentity = 'a' as is_generated, a.attidentity = 'a' as is_identity,
       coalesce(a.attnum = any(i.indkey::int2[]), false) as is_key, c.reltuples::bigint as estimate
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
join pg_type t on t.oid = a.atttypid
left join lateral (
  select indkey from pg_index
  where indrelid = c.oid and indisunique and indisvalid and indpred is null and indexprs is null
    and not exists (select from unnest(indkey::int2[]) k (number) join pg_attribute x
                    on x.attrelid = c.oid and x.attnum = k.number where not x.attnotnull)
  order by indisprimary desc, indnkeyatts, indexrelid limit 1
) i on true
where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f')
order by a.attnum
