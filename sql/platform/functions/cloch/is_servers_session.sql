-- Whether the session may write the tables of operators, audits, API keys and settings. Used by the triggers of these tables. The login of the session is
-- then cloch_operators, a member of the role that owns Cloch's tables (the login of CLOCH_DB_URL), or a superuser. Sessions of cloch_server are not
-- accepted: the project's owner can run code in them, for example by a trigger on storage.s3_multipart_uploads.
--
-- The function checks session_user, not the current role. Up to PostgreSQL 15, a role with CREATEROLE can create a login that is a member
-- of cloch_operators, or of any other role except superusers. This login can switch to the role, but its session_user does not change. Such a role can
-- also rename cloch_operators, and create another login with this name. Therefore the function does not check the name: it checks that the login itself
-- has been granted INSERT on cloch.operators (`sql/src/logins/operators_role.sql`).
create or replace function cloch.is_servers_session() returns boolean
language sql stable set search_path = 'pg_catalog', 'pg_temp' as $$
  select pg_catalog.pg_has_role(session_user, c.relowner, 'MEMBER')
      or exists (select from pg_catalog.aclexplode(c.relacl) as a join pg_catalog.pg_roles as r on r.oid = a.grantee
                  where a.privilege_type = 'INSERT' and r.rolname = session_user)
    from pg_catalog.pg_class as c where c.oid = 'cloch.operators'::pg_catalog.regclass
$$;
