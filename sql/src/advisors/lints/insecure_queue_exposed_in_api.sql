select n.nspname::text as schema, c.relname::text as name, 'table' as type,
       format('The queue''s table %I.%I has no row-level security, and the API exposes %s.', n.nspname, c.relname, e.schema) as detail,
       format('alter table %I.%I enable row level security;', n.nspname, c.relname) as fix, '{}'::jsonb as extra
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join (select min(s) as schema from unnest($1::text[]) s where s in ('pgmq', 'pgmq_public')) e on e.schema is not null
 where n.nspname = 'pgmq' and c.relkind in ('r', 'p') and c.relname ~ '^[qa]_' and not c.relrowsecurity and not c.relispartition
