-- Revokes EXECUTE on the function dblink_connect_u of extension dblink from all roles except its owner. dblink_connect_u connects with the
-- rights of the database server. The default privileges of a schema may have granted EXECUTE to other roles; those of schema public grant
-- it to the API roles. Only Cloch's own login may call the function.
create or replace function cloch.close_dblink() returns void
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  opened record;
begin
  for opened in
    select p.oid::regprocedure as function, grantee.grantee::regrole as role, grantee.grantee = 0 as is_public
      from pg_catalog.pg_proc as p
      join pg_catalog.pg_depend as d on d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
      join pg_catalog.pg_extension as e on d.refclassid = 'pg_catalog.pg_extension'::regclass and e.oid = d.refobjid
     cross join pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) as grantee
     where e.extname = 'dblink' and p.proname = 'dblink_connect_u' and grantee.grantee <> p.proowner
  loop
    execute pg_catalog.format('revoke all on function %s from %s cascade', opened.function, case when opened.is_public then 'public' else opened.role::text end);
  end loop;
end;
$$;
revoke all on function cloch.close_dblink() from public;
