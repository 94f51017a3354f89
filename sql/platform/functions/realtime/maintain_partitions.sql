set local role supabase_realtime_admin;

-- Creates the daily partitions of realtime.messages from yesterday to seven days ahead, and drops partitions older than three days. Days
-- are in UTC, as is column inserted_at. The server calls the function at start and every hour. The API roles may not call it. It runs with
-- the rights of the table's owner.
create or replace function realtime.maintain_partitions() returns void
language plpgsql security definer set search_path = '' as $$
declare
  today date := (now() at time zone 'utc')::date;
  day date;
  old_partition text;
begin
  for day in select generate_series(today - 1, today + 7, interval '1 day')::date loop
    if to_regclass(format('realtime.%I', to_char(day, '"messages_"YYYY_MM_DD'))) is null then
      execute format(
        'create table if not exists realtime.%I partition of realtime.messages for values from (%L) to (%L)',
        to_char(day, '"messages_"YYYY_MM_DD'), day, day + 1);
      execute format('alter table realtime.%I enable row level security', to_char(day, '"messages_"YYYY_MM_DD'));
    end if;
  end loop;
  for old_partition in
    select c.relname from pg_catalog.pg_class as c
      join pg_catalog.pg_inherits as i on i.inhrelid = c.oid
     where i.inhparent = 'realtime.messages'::regclass
       and c.relname ~ '^messages_\d{4}_\d{2}_\d{2}$'
       and to_date(substring(c.relname from 10), 'YYYY_MM_DD') < today - 3
  loop
    execute format('drop table realtime.%I', old_partition);
  end loop;
end;
$$;
revoke execute on function realtime.maintain_partitions() from public;

reset role;
