set local role supabase_realtime_admin;

-- Sends a JSON message to the channel `topic`, by an insert into realtime.messages. `private` decides whether policies restrict the
-- receivers. An error causes only a warning, because a trigger may send the message, and the statement that fired the trigger must not
-- fail. The signature is that of Supabase. Callable by all roles; the insert needs the rights of the current role.
create or replace function realtime.send(
  payload jsonb, event text, topic text, private boolean default true
) returns void
language plpgsql as $$
declare
  message_id uuid := gen_random_uuid();
begin
  begin
    perform set_config('realtime.topic', send.topic, true);
    insert into realtime.messages (id, payload, event, topic, private, extension)
    values (
      message_id,
      case when send.payload ? 'id' then send.payload
           else jsonb_set(send.payload, '{id}', to_jsonb(message_id)) end,
      send.event, send.topic, send.private, 'broadcast');
  exception when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
  end;
end;
$$;

reset role;
