-- Grants supabase_read_only_user, the login of read-only SQL, rights on new objects of the project. The server calls the function before
-- each session of this login. Returns false if the login must not be used: it does not exist, or it can read secrets. It can read secrets
-- if it is a member of pg_read_all_data (on a database that another program made, it stays a member) or if it reads schema cloch.
--
-- Runs with the rights of the function's owner, because Cloch's own login cannot grant rights on tables of every owner. Only Cloch's own
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
  -- Relations are locked only if fewer than 1,000 grants are missing, because PostgreSQL's lock table has space for some thousand locks.
  select count(*) < 1000 into few from cloch.grants_for_reader();
  begin
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('cloch.let_reader_read', 0));
  exception when lock_not_available then
    -- Another session may hold this advisory lock for long, because a person's SQL can take it too. The rights are then granted without it.
    raise debug 'granted without the lock';
  end;
  for lacking in select * from cloch.grants_for_reader() loop
    begin
      -- The GRANT would fail if another transaction changed the table's row in the catalog at the same time. The lock prevents this.
      -- (Autovacuum gives up its own lock after a second.)
      if lacking.may_lock and few then
        execute format('lock table only %s in share update exclusive mode', lacking.relation::pg_catalog.regclass);
      end if;
      execute lacking.statement;
    exception when insufficient_privilege or lock_not_available or undefined_table or undefined_column or invalid_schema_name
      or wrong_object_type or internal_error then
      -- The right is not granted. A query of read-only SQL that needs it fails with PostgreSQL's error.
      raise debug 'not granted: %', sqlerrm;
    end;
  end loop;
  return true;
end;
$$;
revoke execute on function cloch.let_reader_read() from public;
