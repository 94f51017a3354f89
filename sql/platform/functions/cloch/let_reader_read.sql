-- Grants supabase_read_only_user, the login of read-only SQL, rights on new objects of the project. The server calls the function
-- before each session of the login. Returns false if the login must not be used: it does not exist, or it can read secrets, because it
-- is a member of pg_read_all_data or reads schema cloch. The membership stays on a database that another program made.
--
-- Runs with the rights of the function's owner, because Cloch's own login may not act for every owner of a table. Only Cloch's own
-- login may call it.
create or replace function cloch.let_reader_read() returns boolean
language plpgsql security definer set search_path = 'pg_catalog', 'pg_temp' set lock_timeout = '3s' as $$
declare
  lacking record;
  few boolean;
begin
  if pg_catalog.to_regrole('supabase_read_only_user') is null
     or pg_catalog.pg_has_role('supabase_read_only_user', 'pg_read_all_data', 'member')
     or exists (select from pg_catalog.pg_class
                 where relnamespace = 'cloch'::pg_catalog.regnamespace and relkind in ('r', 'v')
                   and pg_catalog.has_any_column_privilege('supabase_read_only_user', oid, 'select')) then
    return false;
  end if;
  if not exists (select from cloch.grants_for_reader()) then
    return true;
  end if;
  -- Relations are locked only if there are few, because PostgreSQL's lock table has room for some thousand locks.
  select count(*) < 1000 into few from cloch.grants_for_reader();
  begin
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('cloch.let_reader_read', 0));
  exception when lock_not_available then
    -- SQL of a person may hold the lock for long. Rights are then granted without the lock.
    raise debug 'granted without the lock';
  end;
  for lacking in select * from cloch.grants_for_reader() loop
    begin
      -- The lock keeps other transactions from changing the table's row in the catalog at the same time, which would make the GRANT
      -- fail. (Autovacuum gives up its own lock after a second.)
      if lacking.may_lock and few then
        execute format('lock table only %s in share update exclusive mode', lacking.relation::pg_catalog.regclass);
      end if;
      execute lacking.statement;
    exception when insufficient_privilege or lock_not_available or undefined_table or undefined_column or invalid_schema_name
      or wrong_object_type or internal_error then
      -- The right is not granted. A query that needs the right fails with PostgreSQL's error.
      raise debug 'not granted: %', sqlerrm;
    end;
  end loop;
  return true;
end;
$$;
revoke execute on function cloch.let_reader_read() from public;
