-- Creates the role for Cloch's internal work on an embedded cluster. The role is a member of the project's owner and so has the owner's
-- privileges. The role also has privileges on schema cloch and on objects that the platform's files created as superuser. The privileges of the
-- owner's objects stay as the project has defined them, so that a dump does not depend on the number of starts.
do $$
declare
  schema_name name;
  found text;
begin
  -- All databases of a cluster share the roles, and two of these databases may be initialised at the same time. Therefore the lock is
  -- needed.
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
      -- The role may not create triggers, because a trigger could discard audit entries. The role may not use TRUNCATE either.
      revoke truncate, references, trigger on all tables in schema cloch from cloch_server;
      grant select, insert, update, delete on all tables in schema cloch to cloch_server;
      -- The role may not call `setval`. A rollback does not undo `setval`, so a call could stop the audit.
      revoke update on all sequences in schema cloch from cloch_server;
      grant usage, select on all sequences in schema cloch to cloch_server;
    else
      -- With `grant all on table`, sequences get the privileges of sequences.
      select pg_catalog.string_agg(c.oid::regclass::text, ', ') into found from pg_catalog.pg_class as c
       where c.relnamespace = schema_name::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
         and c.relowner <> 'postgres'::regrole;
      if found is not null then
        execute 'grant all on table ' || found || ' to cloch_server';
      end if;
      -- Earlier versions granted privileges on the owner's objects, too.
      select pg_catalog.string_agg(c.oid::regclass::text, ', ') into found from pg_catalog.pg_class as c
       where c.relnamespace = schema_name::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
         and c.relowner = 'postgres'::regrole
         and exists (select from pg_catalog.aclexplode(c.relacl) as acl where acl.grantee = 'cloch_server'::regrole);
      if found is not null then
        execute 'revoke all on table ' || found || ' from cloch_server';
      end if;
      select pg_catalog.string_agg(p.oid::regprocedure::text, ', ') into found from pg_catalog.pg_proc as p
       where p.pronamespace = schema_name::regnamespace and p.proowner = 'postgres'::regrole
         and exists (select from pg_catalog.aclexplode(p.proacl) as acl where acl.grantee = 'cloch_server'::regrole);
      if found is not null then
        execute 'revoke all on routine ' || found || ' from cloch_server';
      end if;
    end if;
    select pg_catalog.string_agg(p.oid::regprocedure::text, ', ') into found from pg_catalog.pg_proc as p
     where p.pronamespace = schema_name::regnamespace and p.proowner <> 'postgres'::regrole;
    if found is not null then
      execute 'grant execute on routine ' || found || ' to cloch_server';
    end if;
  end loop;
  -- The project's owner may write to cloch.state. An import runs as the owner, and records there that the database must not be seeded.
  if pg_catalog.to_regclass('cloch.state') is not null then
    grant insert, update on cloch.state to postgres;
  end if;
  execute pg_catalog.format('grant connect, temporary on database %I to cloch_server', pg_catalog.current_database());
end;
$$;

-- No role may be a member of cloch_server or cloch_operators. Up to PostgreSQL 15, a role with CREATEROLE can grant them to another role at any
-- time. The next start revokes the membership. Until then, the triggers of `platform/tables/0040_audit_guards.sql` limit what a member can do.
do $$
declare
  member record;
begin
  for member in
    select r.rolname as role, m.member::regrole as name, m.grantor::regrole as grantor
      from pg_catalog.pg_auth_members as m join pg_catalog.pg_roles as r on r.oid = m.roleid
     where r.rolname in ('cloch_server', 'cloch_operators')
  loop
    raise warning 'security: % was a member of %, and is none any more', member.name, member.role;
    -- From PostgreSQL 16 on, `revoke` without `granted by` keeps memberships that other roles have granted.
    execute pg_catalog.format('revoke %I from %s', member.role, member.name)
      || case when pg_catalog.current_setting('server_version_num')::int < 160000 then ''
              else pg_catalog.format(' granted by %s cascade', member.grantor) end;
  end loop;
end;
$$;

-- Up to PostgreSQL 15, a role with CREATEROLE can grant every role that is not a superuser. Members of the following three roles can execute programs
-- and access files as the operating system user of the database, regardless of restrictions on functions. Therefore the three roles become superusers
-- that cannot log in, and only a superuser can grant them. Existing members would become superusers too, so their membership is revoked first.
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

-- Only the project's owner may write logical messages. A non-transactional logical message is written to the WAL even if its transaction is read-only
-- or is rolled back.
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

-- Backups, exports and upgrades read tables of the project as superuser. The project's owner could replace such a table by a view that
-- calls a function. The function would then run with the superuser's privileges. Therefore sessions of the superuser must not read views.
do $$
begin
  if exists (select from pg_catalog.pg_settings where name = 'restrict_nonsystem_relation_kind') then
    execute pg_catalog.format('alter role %I in database %I set restrict_nonsystem_relation_kind = %L',
                              current_user, pg_catalog.current_database(), 'view, foreign-table');
  end if;
end;
$$;
