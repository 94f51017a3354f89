set local role supabase_realtime_admin;

-- Tells the servers of each message that the database sends to a channel. A row
-- that is rolled back, as the rows are with which policies are asked, is not told of.
create or replace function realtime.tell_servers() returns trigger
language plpgsql set search_path = '' as $$
begin
  -- A notification holds 8,000 bytes: it names the row.
  if octet_length(new.topic) <= 4000 then
    perform pg_notify('cloch_realtime', json_build_object(
      'id', new.id, 'topic', new.topic, 'private', coalesce(new.private, false))::text);
  end if;
  return null;
end;
$$;
revoke execute on function realtime.tell_servers() from public;

reset role;
