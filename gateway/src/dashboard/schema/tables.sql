-- Relations of schema $1, as one JSON array.
select coalesce(json_agg(json_build_object(
         'name', c.relname,
         'kind', case c.relkind when 'r' then 'table' when 'p' then 'partitioned' when 'v' then 'view'
                                when 'm' then 'materialized' else 'foreign' end,
         'rls', c.relrowsecurity,
         'rows', c.reltuples::bigint,
         'bytes', case when c.relkind in ('r', 'm') then c.relpages::bigint * current_setting('block_size')::bigint end,
         'comment', obj_description(c.oid, 'pg_class')
       ) order by c.relname), '[]')
from pg_class c
where c.relnamespace = (select oid from pg_namespace where nspname = $1)
  and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
