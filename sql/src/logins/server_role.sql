-- Creates role cloch_server, the login of Cloch's own work on an embedded PostgreSQL, and grants its rights: those of the project's
-- owner by membership, schema cloch, and objects that the platform SQL created as the superuser. Executed at each start.
do $$
declare
  schema_name name;
begin
  -- Two databases of one cluster may be started at the same time, and roles belong to the cluster.
  lock table pg_catalog.pg_authid in share row exclusive mode;
  if not exists (select from pg_catalog.pg_roles where rolname = 'cloch_server') then
    create role cloch_server;
  end if;
  alter role cloch_server with login inherit replication bypassrls nosuperuser nocreaterole nocreatedb;
  alter role cloch_server set search_path = '$user', public, auth, extensions;
  grant postgres to cloch_server;

  for schema_name in
    select nspname from pg_catalog.pg_namespace
     where nspname in ('cloch', 'auth', 'storage', 'realtime', '_realtime', 'cron', 'net', 'vault', 'pgmq',
                       'supabase_functions', 'supabase_migrations')
  loop
    execute pg_catalog.format('grant usage on schema %I to cloch_server', schema_name);
    if schema_name = 'cloch' then
      -- No TRIGGER, because a trigger could suppress writes to the audits; no TRUNCATE, because no table is emptied as a whole.
      revoke truncate, references, trigger on all tables in schema cloch from cloch_server;
      grant select, insert, update, delete on all tables in schema cloch to cloch_server;
      -- `setval` is not undone by a rollback, and could make new audit entries fail.
      revoke update on all sequences in schema cloch from cloch_server;
      grant usage, select on all sequences in schema cloch to cloch_server;
    else
      execute pg_catalog.format('grant all on all tables in schema %I to cloch_server', schema_name);
      execute pg_catalog.format('grant all on all sequences in schema %I to cloch_server', schema_name);
    end if;
    execute pg_catalog.format('grant execute on all routines in schema %I to cloch_server', schema_name);
  end loop;
  -- An import runs as the project's owner and records in cloch.state that the seed must not run.
  if pg_catalog.to_regclass('cloch.state') is not null then
    grant insert, update on cloch.state to postgres;
  end if;
  execute pg_catalog.format('grant connect, temporary on database %I to cloch_server', pg_catalog.current_database());
end;
$$;

-- Revokes memberships in cloch_server. Up to PostgreSQL 15, a role with CREATEROLE could make a login a member. Until the next start,
-- triggers limit what such a login may write (platform/tables/0041_audit_guards.sql).
do $$
declare
  member record;
begin
  for member in
    select m.member::regrole as name from pg_catalog.pg_auth_members as m
      join pg_catalog.pg_roles as r on r.oid = m.roleid where r.rolname = 'cloch_server'
  loop
    raise warning 'security: % was a member of cloch_server, and is none any more', member.name;
    execute pg_catalog.format('revoke cloch_server from %s', member.name);
  end loop;
end;
$$;

-- Up to PostgreSQL 15, a role with CREATEROLE can grant every role that is no superuser. Members of the three roles below run programs
-- and access files with the account of the database server, outside of the sandbox of functions. The roles become superusers without
-- login, which only a superuser can grant. Former members are removed first, because they would become superusers too.
do $$
declare
  member record;
begin
  if pg_catalog.current_setting('server_version_num')::int >= 160000 then
    return;
  end if;
  if not exists (
    select from pg_catalog.pg_authid
     where rolname in ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files') and not rolsuper
  ) then
    return;
  end if;
  for member in
    select m.roleid::regrole as role, m.member::regrole as name
      from pg_catalog.pg_auth_members as m
      join pg_catalog.pg_authid as r on r.oid = m.roleid
     where r.rolname in ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')
  loop
    execute pg_catalog.format('revoke %s from %s', member.role, member.name);
  end loop;
  update pg_catalog.pg_authid set rolsuper = true
   where rolname in ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files') and not rolsuper;
end;
$$;

-- Only role postgres, its members and superusers may call pg_logical_emit_message. A non-transactional message is written to the log
-- (WAL) even if its transaction is rolled back or is read-only.
do $$
declare
  emit regprocedure;
begin
  for emit in select oid from pg_catalog.pg_proc where proname = 'pg_logical_emit_message' loop
    execute pg_catalog.format('revoke execute on function %s from public', emit);
    execute pg_catalog.format('grant execute on function %s to postgres', emit);
  end loop;
end;
$$;

-- A function in a view runs with the rights of the role that reads the view, and the project's owner may replace a table that backups,
-- exports and upgrades read by a view. Sessions of the superuser therefore cannot read views and foreign tables.
do $$
begin
  if exists (select from pg_catalog.pg_settings where name = 'restrict_nonsystem_relation_kind') then
    execute pg_catalog.format('alter role %I in database %I set restrict_nonsystem_relation_kind = %L',
                              current_user, pg_catalog.current_database(), 'view, foreign-table');
  end if;
end;
$$;
