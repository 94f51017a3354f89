select r.schema, r.name, 'table' as type,
       format('Table %s has no primary key: its rows cannot be told apart, by the API or in replication.', r.sql_name) as detail,
       format('alter table %s add column %I bigint generated always as identity primary key;', r.sql_name,
              case when exists (select from pg_attribute a where a.attrelid = r.oid and a.attname = 'id' and not a.attisdropped)
                   then 'row_id' else 'id' end) as fix, '{}'::jsonb as extra
  from relation r
 where r.kind in ('r', 'p') and not r.is_partition
   and not exists (select from pg_constraint k where k.conrelid = r.oid and k.contype = 'p')
