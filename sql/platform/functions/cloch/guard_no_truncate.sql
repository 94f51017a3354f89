-- Trigger function that refuses TRUNCATE, for the tables of operators and the audits.
create or replace function cloch.guard_no_truncate() returns trigger
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  raise insufficient_privilege using message = format('%s is not emptied', tg_relid::regclass);
end;
$$;
