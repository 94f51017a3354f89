-- Trigger function of the tables of operators, links, sessions, passkeys and challenges: refuses writes in sessions that are not the
-- server's.
create or replace function cloch.guard_operators() returns trigger
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  if not cloch.is_servers_session() then
    raise insufficient_privilege using message = format('%s is written by the server alone', tg_relid::regclass);
  end if;
  return case tg_op when 'DELETE' then old else new end;
end;
$$;
