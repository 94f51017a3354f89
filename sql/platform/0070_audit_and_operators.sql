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

create or replace function cloch.guard_operators() returns trigger
language plpgsql set search_path = '' as $$
begin
  if not cloch.is_servers_session() then
    raise insufficient_privilege using message = format('%s is written by the server alone', tg_relid::regclass);
  end if;
  return case tg_op when 'DELETE' then old else new end;
end;
$$;

create or replace function cloch.guard_no_truncate() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise insufficient_privilege using message = format('%s is not emptied', tg_relid::regclass);
end;
$$;

-- Entries are added, are told once how they ended, and go after 400 days.
create or replace function cloch.guard_operator_audit() returns trigger
language plpgsql set search_path = '' as $$
begin
  if not cloch.is_servers_session() then
    raise insufficient_privilege using message = 'the audit is written by the server alone';
  elsif tg_op = 'DELETE' and old.at > now() - interval '400 days' then
    raise insufficient_privilege using message = 'entries of the audit are kept for 400 days';
  elsif tg_op = 'UPDATE' and (old.status is not null
      or (old.id, old.at, old.operator_id, old.email, old.action, old.target, old.network)
         is distinct from (new.id, new.at, new.operator_id, new.email, new.action, new.target, new.network)) then
    raise insufficient_privilege using message = 'entries of the audit are not changed';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end;
$$;

create or replace function cloch.guard_management_audit() returns trigger
language plpgsql set search_path = '' as $$
begin
  if not cloch.is_servers_session() then
    raise insufficient_privilege using message = 'the audit is written by the server alone';
  elsif tg_op = 'DELETE' and old.begun_at > now() - interval '400 days' then
    raise insufficient_privilege using message = 'entries of the audit are kept for 400 days';
  elsif tg_op = 'UPDATE' and (old.status is not null
      or (old.id, old.begun_at, old.client, old.user_agent, old.method, old.path)
         is distinct from (new.id, new.begun_at, new.client, new.user_agent, new.method, new.path)) then
    raise insufficient_privilege using message = 'entries of the audit are not changed';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end;
$$;

create or replace trigger guard before insert or update or delete on cloch.operator_audit
  for each row execute function cloch.guard_operator_audit();
create or replace trigger guard before insert or update or delete on cloch.management_audit
  for each row execute function cloch.guard_management_audit();
alter table cloch.operator_audit enable always trigger guard;
alter table cloch.management_audit enable always trigger guard;

do $$
declare
  guarded text;
begin
  foreach guarded in array array['operators', 'operator_links', 'operator_sessions', 'operator_passkeys', 'operator_challenges', 'operator_audit', 'management_audit'] loop
    if pg_catalog.to_regclass('cloch.' || guarded) is null then
      continue;
    end if;
    if guarded not like '%_audit' then
      execute format('create or replace trigger guard before insert or update or delete on cloch.%I '
                     'for each row execute function cloch.guard_operators()', guarded);
      execute format('alter table cloch.%I enable always trigger guard', guarded);
    end if;
    execute format('create or replace trigger guard_truncate before truncate on cloch.%I '
                   'for each statement execute function cloch.guard_no_truncate()', guarded);
    execute format('alter table cloch.%I enable always trigger guard_truncate', guarded);
    -- A trigger of somebody else's could swallow what is written.
    if exists (select from pg_catalog.pg_roles where rolname = 'cloch_server') then
      execute format('revoke truncate, references, trigger on cloch.%I from cloch_server', guarded);
    end if;
  end loop;
end;
$$;
