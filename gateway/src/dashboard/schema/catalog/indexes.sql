-- Indexes in schema $1, as one JSON array of at most $2 elements. The indexes of partitions are left out, because each is a part of an
-- index of the partitioned table.
select coalesce(json_agg(f), '[]') from (
  select x.relname as name, c.relname as table, pg_get_indexdef(i.indexrelid) as definition,
         i.indisunique as unique, i.indisprimary as primary, i.indisvalid as valid, x.relkind = 'I' as partitioned,
         pg_relation_size(i.indexrelid) as bytes, pg_stat_get_numscans(i.indexrelid) as scans,
         exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x')) as constrains
  from pg_index i
  join pg_class x on x.oid = i.indexrelid
  join pg_class c on c.oid = i.indrelid
  where x.relnamespace = (select oid from pg_namespace where nspname = $1) and not x.relispartition and c.relkind in ('r', 'p', 'm')
  order by c.relname, x.relname limit $2
) f
