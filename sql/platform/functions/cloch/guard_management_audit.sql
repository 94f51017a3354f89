-- Trigger function of cloch.management_audit: refuses writes in sessions that are not the server's. An entry may be updated once, to set
-- its status, and may be deleted after 400 days.
create or replace function cloch.guard_management_audit() returns trigger
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
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
