select n.nspname::text as schema, e.extname::text as name, 'extension' as type,
       format('Extension %I has version %s; the server brings %s.', e.extname, e.extversion, a.default_version) as detail,
       format('alter extension %I update;', e.extname) as fix,
       jsonb_build_object('installed_version', e.extversion, 'default_version', a.default_version) as extra
  from pg_extension e
  join pg_namespace n on n.oid = e.extnamespace
  join pg_available_extensions a on a.name = e.extname
 where a.default_version is distinct from e.extversion and a.default_version is not null
