-- Extensions that are enabled or available, as one JSON array of at most $2 elements. $1 is not used.
select coalesce(json_agg(f), '[]') from (
  select coalesce(e.extname, a.name) as name, e.extversion as version, n.nspname as schema, a.default_version, a.comment,
         v.schema as fixed_schema, coalesce(v.requires, '{}') as requires
  from pg_available_extensions a
  full join pg_extension e on e.extname = a.name
  left join pg_namespace n on n.oid = e.extnamespace
  left join pg_available_extension_versions v on v.name = a.name and v.version = a.default_version
  order by e.extname is null, 1 limit $2
) f
