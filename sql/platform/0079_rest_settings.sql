-- Further settings of the table REST that a project makes as postgres, who is no superuser:
-- `alter role authenticator set pgrst.server_timing_enabled = 'true'`.
do $$
declare
  parameter text;
begin
  if not cloch.is_superuser() then
    return;
  end if;
  foreach parameter in array array[
    'pgrst.db_root_spec', 'pgrst.db_hoisted_tx_settings', 'pgrst.openapi_server_proxy_uri',
    'pgrst.server_timing_enabled', 'pgrst.server_trace_header'
  ] loop
    perform cloch.attempt(format('grant set on parameter %I to postgres', parameter));
  end loop;
end;
$$;
