-- Columns of tables that cannot be null, as a JSON list. Each element is a pair: relation and column number.
select coalesce(json_agg(json_build_array(a.attrelid::bigint, a.attnum)), '[]')
from pg_attribute a
join pg_class c on c.oid = a.attrelid
where a.attnotnull and a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'f')
  and c.relnamespace <> 'pg_catalog'::regnamespace
