set local role supabase_realtime_admin;

-- Trigger function of realtime.messages: notifies all nodes (channel cloch_realtime) of a broadcast that SQL inserted. PostgreSQL sends
-- notifications on commit. Therefore rows that are rolled back, such as those that realtime inserts to check policies, cause no
-- notification.
create or replace function realtime.tell_servers() returns trigger
language plpgsql set search_path = '' as $$
begin
  -- The payload of a notification is limited to 8,000 bytes. Therefore it contains the row's id instead of the message, and nothing is sent
  -- for longer topics.
  if octet_length(new.topic) <= 4000 then
    perform pg_notify('cloch_realtime', json_build_object(
      'id', new.id, 'topic', new.topic, 'private', coalesce(new.private, false))::text);
  end if;
  return null;
end;
$$;
revoke execute on function realtime.tell_servers() from public;

reset role;
