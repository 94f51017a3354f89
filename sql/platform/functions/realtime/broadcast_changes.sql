set local role supabase_realtime_admin;

-- Sends the change of a row to a private channel. Row triggers of the project call it. `topic_name` is the channel, and `event_name` is the
-- event of the message. `operation`, `table_name`, `table_schema`, `new`, `old` and `level` are the variables of the trigger (tg_op and so
-- on). The signature and the messages are those of Supabase. Callable by all roles; the insert into realtime.messages needs the rights of
-- the current role.
create or replace function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text,
  new record, old record, level text default 'ROW'
) returns void
language plpgsql as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation is null or operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', old,
      'record', new,
      'operation', operation,
      'table', table_name,
      'schema', table_schema),
    event_name, topic_name);
exception when others then
  raise exception 'Failed to process the row: %', sqlerrm;
end;
$$;

reset role;
