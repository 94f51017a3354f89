-- Whether the session belongs to the server: the login is cloch_server, a member of the owner of Cloch's tables (the login of
-- CLOCH_DB_URL), or a superuser. The triggers of operators and audits use it.
--
-- Up to PostgreSQL 15, a role with CREATEROLE can create a login that is a member of any role except superusers, so also of
-- cloch_server. The function checks session_user, because such a login can switch to cloch_server but its session_user stays its own.
create or replace function cloch.is_servers_session() returns boolean
language sql stable set search_path = 'pg_catalog', 'pg_temp' as $$
  select session_user = 'cloch_server'
      or pg_catalog.pg_has_role(session_user, relowner, 'MEMBER')
    from pg_catalog.pg_class where oid = 'cloch.operators'::pg_catalog.regclass
$$;
