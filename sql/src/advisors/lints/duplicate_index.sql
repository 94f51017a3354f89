, same as (
  select r.schema, r.name, r.sql_name, array_agg(c.relname::text order by (k.oid is null), i.indexrelid) as names,
         array_agg(k.oid is null order by (k.oid is null), i.indexrelid) as is_droppable
    from pg_index i
    join relation r on r.oid = i.indrelid
    join pg_class c on c.oid = i.indexrelid
    left join pg_constraint k on k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x')
   where i.indisvalid and not c.relispartition
   group by r.schema, r.name, r.sql_name, c.relam, i.indisunique, i.indnkeyatts, i.indkey::text, i.indclass::text, i.indcollation::text,
            i.indoption::text, pg_get_expr(i.indexprs, i.indrelid), pg_get_expr(i.indpred, i.indrelid)
  having count(*) > 1
)
select schema, name, 'table' as type,
       format('Table %s has the same index %s times: %s.', sql_name, cardinality(names), array_to_string(names, ', ')) as detail,
       (select string_agg(format('drop index %I.%I;', schema, n), ' ' order by place)
          from unnest(names, is_droppable) with ordinality as u (n, droppable, place) where place > 1 and droppable) as fix,
       jsonb_build_object('indexes', to_jsonb(names)) as extra
  from same
