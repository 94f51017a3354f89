, measured as (
  select r.schema, r.name, r.sql_name, pg_relation_size(r.oid) as bytes,
         ceil(r.rows * (28 + w.width) / (8168 * coalesce((select option_value::numeric from pg_options_to_table(c.reloptions)
                                                          where option_name = 'fillfactor'), 100) / 100)) * 8192 as needed
    from relation r
    join pg_class c on c.oid = r.oid
    join lateral (select sum(s.avg_width * (1 - s.null_frac)) as width from pg_stats s
                   where s.schemaname = r.schema and s.tablename = r.name and not s.inherited) w on w.width is not null
   where r.kind = 'r' and r.rows >= 0
)
select schema, name, 'table' as type,
       format('Table %s takes %s; its rows need about %s.', sql_name, pg_size_pretty(bytes), pg_size_pretty(needed::bigint)) as detail,
       format('vacuum full %s;', sql_name) as fix, jsonb_build_object('bytes', bytes, 'needed_bytes', needed::bigint) as extra
  from measured
 where bytes - needed >= 16 * 1024 * 1024 and needed < 0.3 * bytes
