set local role supabase_functions_admin;

-- Trigger function of a database webhook: queues an HTTP request with the changed row through pg_net or Cloch's substitute for it. Also
-- logs the request in supabase_functions.hooks. The trigger has these arguments: URL, method (GET or POST), headers and query parameters as
-- JSON, timeout in milliseconds. Callable by postgres and the API roles. Runs with the rights of its owner, so that a statement of any role
-- can fire the webhook.
create or replace function supabase_functions.http_request() returns trigger
language plpgsql security definer set search_path = supabase_functions as $$
declare
  url text := tg_argv[0];
  method text := tg_argv[1];
  headers jsonb := '{"Content-Type": "application/json"}';
  params jsonb := '{}';
  timeout_ms integer := 1000;
  request_id bigint;
  payload jsonb;
begin
  if url is null or url = 'null' then
    raise exception 'url argument is missing';
  end if;
  if method is null or method = 'null' then
    raise exception 'method argument is missing';
  end if;
  if coalesce(tg_argv[2], 'null') <> 'null' then
    headers := tg_argv[2]::jsonb;
  end if;
  if coalesce(tg_argv[3], 'null') <> 'null' then
    params := tg_argv[3]::jsonb;
  end if;
  if coalesce(tg_argv[4], 'null') <> 'null' then
    timeout_ms := tg_argv[4]::integer;
  end if;

  case method
    when 'GET' then
      request_id := net.http_get(url, params, headers, timeout_ms);
    when 'POST' then
      payload := jsonb_build_object(
        'old_record', case when tg_op in ('UPDATE', 'DELETE') then to_jsonb(old) end,
        'record', case when tg_op in ('INSERT', 'UPDATE') then to_jsonb(new) end,
        'type', tg_op,
        'table', tg_table_name,
        'schema', tg_table_schema);
      request_id := net.http_post(url, payload, params, headers, timeout_ms);
    else
      raise exception 'method argument % is invalid', method;
  end case;

  insert into supabase_functions.hooks (hook_table_id, hook_name, request_id)
  values (tg_relid, tg_name, request_id);
  return coalesce(new, old);
end;
$$;
revoke all on function supabase_functions.http_request() from public;
grant execute on function supabase_functions.http_request() to postgres, anon, authenticated, service_role;

reset role;
