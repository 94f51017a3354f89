-- Returns each role with the reason why callers may not use it; the reason is null if they may. Requests of callers log in as `authenticator`, so
-- this query checks the privileges of `authenticator`, regardless of the role of this session. (With `CLOCH_DB_URL`, this may be a superuser, which
-- may switch to every role.)
with login as (
  select coalesce((select oid from pg_catalog.pg_roles where rolname = 'authenticator'),
                  (select oid from pg_catalog.pg_roles where rolname = session_user)) as callers,
         case when pg_catalog.current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end as may_become
), strong as (
  -- Roles that bypass row-level security or file permissions, and roles that own the project's tables.
  select oid from pg_catalog.pg_roles
   where rolsuper or rolbypassrls
      or rolname in (session_user, 'authenticator', 'postgres', 'cloch_owner', 'cloch_operators', 'cloch_server',
                     'pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')
      or oid = (select datdba from pg_catalog.pg_database where datname = current_database())
)
select pg_catalog.json_build_array(r.rolname, case
         when r.rolname in (session_user, 'authenticator') then 'login'
         when not pg_catalog.pg_has_role(l.callers, r.oid, l.may_become) then 'not_granted'
         when r.rolsuper then 'superuser'
         when r.rolname = 'service_role' then null
         when r.rolbypassrls then 'bypasses_row_security'
         when exists (select from strong as s where s.oid <> r.oid and pg_catalog.pg_has_role(r.oid, s.oid, 'MEMBER'))
           then 'member'
         when r.oid in (select oid from strong) then 'login'
       end)
  from pg_catalog.pg_roles as r cross join login as l
