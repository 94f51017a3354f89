select r.schema, r.name, 'table' as type,
       format('Foreign key %I of %s refers to columns of auth.%I that are unique and no primary key. A migration of the platform may drop that constraint.',
              k.conname, r.sql_name, t.relname) as detail,
       format('alter table %s drop constraint %I;', r.sql_name, k.conname) as fix,
       jsonb_build_object('fkey_name', k.conname, 'fkey_columns', to_jsonb(k.conkey)) as extra
  from pg_constraint k
  join relation r on r.oid = k.conrelid
  join pg_class t on t.oid = k.confrelid
 where k.contype = 'f' and k.conparentid = 0 and t.relnamespace = to_regnamespace('auth')
   and not exists (select from pg_constraint p
                    where p.conrelid = k.confrelid and p.contype = 'p' and p.conkey @> k.confkey and p.conkey <@ k.confkey)
