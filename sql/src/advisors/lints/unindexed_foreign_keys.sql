select r.schema, r.name, 'table' as type,
       format('Foreign key %I of %s has no index that begins with its columns: deleting a row that it refers to reads the whole table.',
              k.conname, r.sql_name) as detail,
       format('create index on %s (%s);', r.sql_name,
              (select string_agg(quote_ident(a.attname), ', ' order by place)
                 from unnest(k.conkey) with ordinality as u (number, place)
                 join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number)) as fix,
       jsonb_build_object('fkey_name', k.conname, 'fkey_columns', to_jsonb(k.conkey)) as extra
  from pg_constraint k
  join relation r on r.oid = k.conrelid
 where k.contype = 'f' and k.conparentid = 0
   and not exists (
     select from pg_index i
      where i.indrelid = k.conrelid and i.indisvalid and i.indpred is null and i.indnkeyatts >= cardinality(k.conkey)
        and (string_to_array(i.indkey::text, ' ')::smallint[])[1:cardinality(k.conkey)] @> k.conkey)
