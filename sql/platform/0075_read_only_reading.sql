-- What read-only SQL reads (of /v1, /mcp, the dashboard and `cloch why`): the project, and no secrets.
--
-- On Supabase its login is a member of pg_read_all_data. PostgreSQL makes no exceptions from that one: it reads this server's own tables,
-- the vault, and what continues a user's session. Here the login has SELECT on each relation instead, and is granted what is new before
-- a session of it begins.

-- The schemas of which it reads nothing.
create or replace function cloch.is_closed_to_reader(schema_name name) returns boolean
language sql immutable set search_path = '' as $$
  select schema_name ~ '^pg_'
      or schema_name in ('cloch', 'vault', 'pgsodium', 'pgsodium_masks', 'pgbouncer', '_realtime', '_analytics', '_supavisor',
                         'information_schema')
$$;

-- What nobody needs who only reads, and what opens an account: passwords, links, codes, tokens and keys, hashed or not (the hash of six
-- digits is tried out in a second).
create or replace function cloch.is_secret_column(relation name, column_name name) returns boolean
language sql immutable set search_path = '' as $$
  select (relation || '.' || column_name) in (
    'custom_oauth_providers.client_secret',
    'flow_state.auth_code', 'flow_state.code_challenge', 'flow_state.invite_token',
    'flow_state.provider_access_token', 'flow_state.provider_refresh_token',
    'instances.raw_base_config',
    'mfa_challenges.otp_code', 'mfa_challenges.web_authn_session_data',
    'mfa_factors.last_webauthn_challenge_data', 'mfa_factors.secret',
    'oauth_authorizations.authorization_code', 'oauth_authorizations.code_challenge',
    'oauth_client_states.code_verifier',
    'oauth_clients.client_secret_hash',
    'one_time_tokens.token_hash',
    'refresh_tokens.parent', 'refresh_tokens.token',
    'saml_relay_states.request_id',
    'sessions.refresh_token_hmac_key',
    'users.confirmation_token', 'users.email_change_token_current', 'users.email_change_token_new',
    'users.encrypted_password', 'users.phone_change_token', 'users.reauthentication_token', 'users.recovery_token',
    'webauthn_challenges.session_data')
$$;

-- What the login lacks, as statements. In schema auth, rights are those of columns; the queue of pg_net holds keys in its headers.
create or replace function cloch.grants_for_reader()
returns table (relation oid, may_lock boolean, statement text)
language sql stable set search_path = '' as $$
  select null::oid, false, format('grant usage on schema %I to supabase_read_only_user', nspname)
    from pg_catalog.pg_namespace
   where not cloch.is_closed_to_reader(nspname) and not pg_catalog.has_schema_privilege('supabase_read_only_user', oid, 'usage')
  union all
  select c.oid, c.relkind in ('r', 'p'), format('grant select on %I.%I to supabase_read_only_user', nspname, relname)
    from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = relnamespace
   where relkind in ('r', 'p', 'v', 'm', 'f', 'S') and relpersistence <> 't'
     and not cloch.is_closed_to_reader(nspname) and (nspname <> 'auth' or relkind = 'S')
     and (nspname, relname) <> ('net', 'http_request_queue')
     and not pg_catalog.has_table_privilege('supabase_read_only_user', c.oid, 'select')
  union all
  select c.oid, c.relkind in ('r', 'p'),
         format('grant select (%s) on auth.%I to supabase_read_only_user', string_agg(quote_ident(attname), ', ' order by attnum), relname)
    from pg_catalog.pg_class as c join pg_catalog.pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
   where relnamespace = pg_catalog.to_regnamespace('auth') and relkind in ('r', 'p', 'v', 'm', 'f')
     and not cloch.is_secret_column(relname, attname)
     and not pg_catalog.has_column_privilege('supabase_read_only_user', c.oid, attnum, 'select')
   group by c.oid, relname, relkind
$$;

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

revoke execute on function cloch.is_closed_to_reader(name), cloch.is_secret_column(name, name), cloch.grants_for_reader(),
  cloch.let_reader_read() from public;

do $$
begin
  -- Databases of before. Where another program made the database, its members stay.
  if pg_catalog.to_regclass('cloch.attached') is null then
    perform cloch.attempt('lock table pg_catalog.pg_authid in share row exclusive mode');
    if pg_catalog.pg_has_role('supabase_read_only_user', 'pg_read_all_data', 'member') then
      perform cloch.attempt('revoke pg_read_all_data from supabase_read_only_user',
                            'read-only SQL is refused: its login would read secrets');
    end if;
    perform cloch.attempt('alter role supabase_read_only_user set default_transaction_read_only = on');
  end if;
end;
$$;
