-- Functions that run with the superuser's rights search temporary types last. With an empty search path, PostgreSQL searches the caller's
-- temporary types before its own: a temporary domain called text, whose constraint calls a function of the caller, ran that function as the
-- superuser. This changes functions that earlier files created in schemas of the superuser.
do $$
declare
  signature text;
begin
  -- Objects of a database that another program made are not changed.
  if to_regclass('cloch.attached') is not null
     and exists (select from cloch.platform_migrations where version = '0026' and applied_at < now()) then
    return;
  end if;
  for signature in
    select p.oid::regprocedure
      from pg_catalog.pg_proc as p
      join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
      join pg_catalog.pg_roles as r on r.oid = p.proowner
     where n.nspname in ('cloch', 'net', 'vault') and r.rolsuper and 'search_path=""' = any (p.proconfig)
       and not exists (select from pg_catalog.pg_depend where classid = 'pg_catalog.pg_proc'::regclass and objid = p.oid and deptype = 'e')
  loop
    execute format('alter function %s set search_path = pg_catalog, pg_temp', signature);
  end loop;
end;
$$;
