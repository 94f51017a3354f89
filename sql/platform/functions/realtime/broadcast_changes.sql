set local role supabase_realtime_admin;

-- For a row trigger: sends the change of a row to a private channel.
create or replace function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text,
  new record, old record, level text default 'ROW'
) returns void
language plpgsql as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', case when operation in ('UPDATE', 'DELETE') then to_jsonb(old) end,
      'record', case when operation in ('INSERT', 'UPDATE') then to_jsonb(new) end,
      'operation', operation,
      'table', table_name,
      'schema', table_schema),
    event_name, topic_name);
exception when others then
  raise exception 'failed to process the row: %', sqlerrm;
end;
$$;

reset role;
