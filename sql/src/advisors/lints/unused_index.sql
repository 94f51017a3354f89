select r.schema, r.name, 'table' as type,
       format('Index %I on %s was never used since statistics are kept.', c.relname, r.sql_name) as detail,
       format('drop index %I.%I;', r.schema, c.relname) as fix, jsonb_build_object('index', c.relname) as extra
  from pg_index i
  join relation r on r.oid = i.indrelid
  join pg_class c on c.oid = i.indexrelid
  join pg_stat_all_indexes s on s.indexrelid = i.indexrelid
  join pg_stat_all_tables t on t.relid = i.indrelid
 where s.idx_scan = 0 and not i.indisunique and not i.indisexclusion and not c.relispartition
   -- Indexes on small tables are left out, because PostgreSQL reads small tables without an index. Indexes on tables that were never read are left
   -- out too, because nothing is known about their use.
   and r.rows >= 1000 and t.seq_scan + coalesce(t.idx_scan, 0) > 0
   -- Indexes of foreign keys are left out. PostgreSQL needs them to delete referenced rows, even if such deletions are rare.
   and not exists (
     select from pg_constraint k
      where k.contype = 'f' and k.conrelid = i.indrelid
        and (string_to_array(i.indkey::text, ' ')::smallint[])[1:cardinality(k.conkey)] @> k.conkey)
