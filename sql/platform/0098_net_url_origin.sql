-- Stand-ins: whose URL a queued request goes to.

do $outer$
begin
  if not exists (select from cloch.stand_ins where extension = 'pg_net') then
    return;
  end if;

  -- A function that an API calls may hand a caller's text to net.http_get. What
  -- a migration, a job or a session of the project's own queues is the project's.
  alter table net.http_request_queue add column if not exists url_by_caller boolean not null default false;

  create or replace function net._queue(
    method text, url text, params jsonb, headers jsonb, body bytea, timeout_milliseconds integer
  ) returns bigint
  language plpgsql as $$
  declare
    request_id bigint;
    pairs text[];
  begin
    select array_agg(net._urlencode_string(p.key) || '=' || net._urlencode_string(p.value))
      into pairs
      from jsonb_each_text(params) as p;
    insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds, url_by_caller)
    values (_queue.method, net._encode_url_with_params_array(_queue.url, pairs),
            _queue.headers, _queue.body, _queue.timeout_milliseconds,
            coalesce(current_setting('request.jwt.claims', true), '') <> '')
    returning id into request_id;
    perform pg_notify('cloch_net', request_id::text);
    return request_id;
  end;
  $$;

  -- A webhook's URL is an argument of its trigger.
  create or replace function net._url_is_the_projects(request_id bigint) returns void
  language sql security definer set search_path = '' as $$
    update net.http_request_queue set url_by_caller = false where id = request_id
  $$;
  alter function net._url_is_the_projects(bigint) owner to supabase_admin;
  revoke all on function net._url_is_the_projects(bigint) from public;
  grant execute on function net._url_is_the_projects(bigint) to supabase_functions_admin;
end;
$outer$;

set local role supabase_functions_admin;

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

reset role;
