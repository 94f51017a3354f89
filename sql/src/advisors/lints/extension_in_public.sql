select n.nspname::text as schema, e.extname::text as name, 'extension' as type,
       format('Extension %I is in schema public, where its functions are part of the API.', e.extname) as detail,
       case when e.extrelocatable then format('alter extension %I set schema extensions;', e.extname) end as fix, '{}'::jsonb as extra
  from pg_extension e join pg_namespace n on n.oid = e.extnamespace
 where n.nspname = 'public'
