-- Resets the statistics of this database's statements (pg_stat_statements). Returns false if the database does not have the extension.
--
-- Runs with the rights of the function's owner, because PostgreSQL lets only superusers reset statistics. (Granting a privilege on the
-- extension's function is no alternative: its arguments differ between versions, so pg_upgrade and restored dumps would fail.) The function
-- that is called must be written in C, because role postgres cannot create such a function. Only Cloch's own login may call
-- cloch.reset_statements.
create or replace function cloch.reset_statements() returns boolean
language plpgsql security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  reset text;
begin
  select format('%I.%I', n.nspname, p.proname) into reset
    from pg_catalog.pg_proc as p
    join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
    join pg_catalog.pg_language as l on l.oid = p.prolang and l.lanname = 'c'
    join pg_catalog.pg_depend as d on d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
    join pg_catalog.pg_extension as e on d.refclassid = 'pg_catalog.pg_extension'::regclass and d.refobjid = e.oid
   where e.extname = 'pg_stat_statements' and p.proname = 'pg_stat_statements_reset' and p.pronargs >= 3;
  if reset is null then
    return false;
  end if;
  execute format('select %s(0, (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database()), 0)', reset);
  return true;
end;
$$;
revoke execute on function cloch.reset_statements() from public;
