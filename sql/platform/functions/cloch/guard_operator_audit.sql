-- Trigger function of cloch.operator_audit: refuses writes in sessions that are not the server's. The status and details of an entry may be
-- updated until it has a status. An entry may be deleted after 400 days.
create or replace function cloch.guard_operator_audit() returns trigger
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
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
