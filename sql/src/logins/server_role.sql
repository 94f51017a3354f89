-- The role of Cloch's own work on a cluster of its own, and its rights. A member of the project's owner, it may do what that
-- one may; beside that it works on schema cloch and on what the platform's files gave to the superuser.
do $$
declare
  schema_name name;
begin
  -- Two databases of one cluster may start at once; roles are the cluster's.
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
      -- No triggers: one could swallow what the audit is told. Nothing is emptied as a whole.
      revoke truncate, references, trigger on all tables in schema cloch from cloch_server;
      grant select, insert, update, delete on all tables in schema cloch to cloch_server;
      -- `setval` is not undone with its transaction, and would stop the audit.
      revoke update on all sequences in schema cloch from cloch_server;
      grant usage, select on all sequences in schema cloch to cloch_server;
    else
      execute pg_catalog.format('grant all on all tables in schema %I to cloch_server', schema_name);
      execute pg_catalog.format('grant all on all sequences in schema %I to cloch_server', schema_name);
    end if;
    execute pg_catalog.format('grant execute on all routines in schema %I to cloch_server', schema_name);
  end loop;
  -- An import runs as the project's owner, and notes that no seed is wanted.
  if pg_catalog.to_regclass('cloch.state') is not null then
    grant insert, update on cloch.state to postgres;
  end if;
  execute pg_catalog.format('grant connect, temporary on database %I to cloch_server', pg_catalog.current_database());
end;
$$;

-- Nobody is a member of the server's own role. Up to PostgreSQL 15, whoever has CREATEROLE could make one; what such a login may do
-- until the next start, the triggers of `platform/0070` bound.
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

-- Up to PostgreSQL 15, whoever has CREATEROLE gives everybody every role that is no superuser's. Members of these run programs and read and
-- write files as the account of the database, outside of every fence around functions: as superusers, which cannot log in, only a superuser
-- gives them. A member of before would become one.
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

-- A message of the log that is no part of a transaction is written although what wrote it is rolled back, also by SQL that only reads.
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

-- A function in a view runs with the rights of whoever reads the view, and the project's owner may put one in the place of a table that backups,
-- exports and upgrades read: sessions of the superuser read none.
do $$
begin
  if exists (select from pg_catalog.pg_settings where name = 'restrict_nonsystem_relation_kind') then
    execute pg_catalog.format('alter role %I in database %I set restrict_nonsystem_relation_kind = %L',
                              current_user, pg_catalog.current_database(), 'view, foreign-table');
  end if;
end;
$$;
