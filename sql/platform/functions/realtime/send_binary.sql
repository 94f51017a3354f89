set local role supabase_realtime_admin;

-- Sends a binary message to the channel `topic`. Otherwise it does the same as realtime.send.
create or replace function realtime.send_binary(
  payload bytea, event text, topic text, private boolean default true
) returns void
language plpgsql as $$
begin
  begin
    perform set_config('realtime.topic', send_binary.topic, true);
    insert into realtime.messages (binary_payload, event, topic, private, extension)
    values (send_binary.payload, send_binary.event, send_binary.topic, send_binary.private, 'broadcast');
  exception when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
  end;
end;
$$;

reset role;
