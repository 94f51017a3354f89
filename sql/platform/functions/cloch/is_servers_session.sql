-- The audit is appended to, and nothing else; operators are written by the server alone.
--
-- Up to PostgreSQL 15, whoever has CREATEROLE makes a login that is a member of any role that is no superuser's, so also of
-- the server's. Such a login is another session user: that is what is checked here. The triggers fire whatever
-- `session_replication_role` is, which the project's owner may set.

-- Whether the session is the server's own: its login, a member of the owner of Cloch's tables (the login of CLOCH_DB_URL), or a
-- superuser.
create or replace function cloch.is_servers_session() returns boolean
language sql stable set search_path = '' as $$
  select session_user = 'cloch_server'
      or pg_catalog.pg_has_role(session_user, relowner, 'MEMBER')
    from pg_catalog.pg_class where oid = 'cloch.operators'::pg_catalog.regclass
$$;
