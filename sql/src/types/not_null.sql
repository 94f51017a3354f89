-- Returns the NOT NULL columns of tables as one JSON list of pairs: OID of the table, number of the column.
select coalesce(json_agg(json_build_array(a.attrelid::bigint, a.attnum)), '[]')
from pg_attribute a
join pg_class c on c.oid = a.attrelid
where a.attnotnull and a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'f')
  and c.relnamespace <> 'pg_catalog'::regnamespace
