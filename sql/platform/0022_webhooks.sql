-- Database webhooks: a row trigger that posts the change to a URL.

set local role supabase_functions_admin;

create table supabase_functions.migrations (
  version     text not null,
  inserted_at timestamptz not null default now(),
  constraint migrations_pkey primary key (version)
);

create table supabase_functions.hooks (
  id            bigserial not null,
  hook_table_id integer not null,
  hook_name     text not null,
  created_at    timestamptz not null default now(),
  request_id    bigint,
  constraint hooks_pkey primary key (id)
);
comment on table supabase_functions.hooks is 'Audit trail of the webhooks that triggers have called.';
create index supabase_functions_hooks_request_id_idx on supabase_functions.hooks (request_id);
create index supabase_functions_hooks_h_table_id_h_name_idx on supabase_functions.hooks (hook_table_id, hook_name);

-- Arguments of the trigger: url, method, headers, params, timeout in milliseconds.
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

-- A webhook's URL is an argument of its trigger, and so the project's: net's worker
-- may send it to any address.
create or replace function supabase_functions.note_webhook() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if to_regprocedure('net._url_is_the_projects(bigint)') is not null then
    perform net._url_is_the_projects(new.request_id);
  end if;
  return null;
end;
$$;
revoke all on function supabase_functions.note_webhook() from public;
create or replace trigger note_webhook after insert on supabase_functions.hooks
  for each row execute function supabase_functions.note_webhook();

-- The hooks are a log for the developer; a trigger of an API role writes it by
-- the function's right.
revoke all on all tables in schema supabase_functions from public;
grant all on all tables in schema supabase_functions to postgres, service_role;
grant all on all sequences in schema supabase_functions to postgres, service_role;
revoke all on function supabase_functions.http_request() from public;
grant execute on function supabase_functions.http_request() to postgres, anon, authenticated, service_role;

reset role;
