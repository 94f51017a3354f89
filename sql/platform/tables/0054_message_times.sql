-- The time of a message (realtime.messages.inserted_at) is the time of its insert, in UTC. Before, it was the start of the transaction, in
-- the session's time zone: replay could not know the order of messages of one transaction. The default is not changed in a database that
-- another program made.
do $$
begin
  if to_regclass('cloch.attached') is null then
    set local role supabase_realtime_admin;
    alter table realtime.messages alter column inserted_at set default timezone('utc', clock_timestamp());
    reset role;
  end if;
end;
$$;
