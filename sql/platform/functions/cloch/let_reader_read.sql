-- Before each session of the login; false where it reads what it should not, and is not to be used: on a database that another program
-- made, where its membership stays. The owner's right, because the server does not act for every owner of a table.
create or replace function cloch.let_reader_read() returns boolean
language plpgsql security definer set search_path = '' set lock_timeout = '3s' as $$
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
  -- PostgreSQL has room for some thousand locks.
  select count(*) < 1000 into few from cloch.grants_for_reader();
  begin
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('cloch.let_reader_read', 0));
  exception when lock_not_available then
    -- SQL of a person's may hold it; the order of grants is worth no more waiting.
    raise debug 'granted without the lock';
  end;
  for lacking in select * from cloch.grants_for_reader() loop
    begin
      -- A change of the table in another transaction would fail where both write its row of the catalog. (A vacuum gives way after a
      -- second.)
      if lacking.may_lock and few then
        execute format('lock table only %s in share update exclusive mode', lacking.relation::pg_catalog.regclass);
      end if;
      execute lacking.statement;
    exception when insufficient_privilege or lock_not_available or undefined_table or undefined_column or invalid_schema_name
      or wrong_object_type or internal_error then
      -- A statement that needs it says so.
      raise debug 'not granted: %', sqlerrm;
    end;
  end loop;
  return true;
end;
$$;
revoke execute on function cloch.let_reader_read() from public;
