-- Makes the stand-in for pg_net (schema net), unless the server has the extension: net.http_get, net.http_post and net.http_delete
-- insert requests into a queue table, and the server sends them.

\ir ../functions/cloch/stand_in_wanted.sql

do $outer$
begin
  if not cloch.stand_in_wanted('pg_net', 'requests queued by net.http_post and the like are sent by the server') then
    return;
  end if;

  create schema net authorization supabase_admin;

  -- The server's worker selects rows with `for update skip locked`, sends the requests, stores each response in net._http_response
  -- under the same id, and deletes the rows.
  create table net.http_request_queue (
    id                   bigserial primary key,
    method               text not null,
    url                  text not null,
    headers              jsonb,
    body                 bytea,
    timeout_milliseconds integer not null,
    queued_at            timestamptz not null default now(),
    -- Whether an API caller may have chosen the URL, because a function that callers execute may pass their text to net.http_get. False
    -- for requests from a migration, a job or another session of the project itself.
    url_by_caller        boolean not null default false,
    constraint http_request_queue_method_check check (method in ('GET', 'POST', 'DELETE'))
  );
  create table net._http_response (
    id           bigint primary key,
    status_code  integer,
    content_type text,
    headers      jsonb,
    content      text,
    timed_out    boolean,
    error_msg    text,
    created      timestamptz not null default now()
  );
  create index _http_response_created_idx on net._http_response (created);

  -- Appends query parameters, already encoded as name=value, to a URL.
  create function net._encode_url_with_params_array(url text, params_array text[]) returns text
  language sql immutable as $$
    select case when coalesce(cardinality(params_array), 0) = 0 then url
      else url || case when position('?' in url) > 0 then '&' else '?' end || array_to_string(params_array, '&') end
  $$;

  -- Percent-encodes a text as UTF-8 for a query string.
  create function net._urlencode_string(string text) returns text
  language sql immutable as $$
    select coalesce(string_agg(
      case when byte ~ '^[A-Za-z0-9_.~-]$' then byte
           else upper(regexp_replace(encode(convert_to(byte, 'UTF8'), 'hex'), '(..)', '%\1', 'g')) end, ''
      order by position), '')
    from regexp_split_to_table(string, '') with ordinality as t(byte, position)
    where string <> ''
  $$;

  -- Inserts a request into the queue and returns its id. net.http_get, net.http_post and net.http_delete call it with the rights of
  -- their owner.
  create function net._queue(
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
            coalesce(current_setting('request.jwt.claims', true), '') <> ''
              -- Callers also start hooks and triggers of auth, in sessions without request claims. On an operator's server all logins
              -- are one login, and auth's sessions are recognised by their application_name.
              or session_user = 'supabase_auth_admin' or current_setting('application_name') = 'cloch auth')
    returning id into request_id;
    perform pg_notify('cloch_net', request_id::text);
    return request_id;
  end;
  $$;

  create function net.http_get(
    url text, params jsonb default '{}', headers jsonb default '{}',
    timeout_milliseconds integer default 5000
  ) returns bigint
  language sql security definer set search_path = '' as $$
    select net._queue('GET', url, params, headers, null, timeout_milliseconds)
  $$;

  create function net.http_delete(
    url text, params jsonb default '{}', headers jsonb default '{}',
    timeout_milliseconds integer default 5000, body jsonb default null
  ) returns bigint
  language sql security definer set search_path = '' as $$
    select net._queue('DELETE', url, params, headers, convert_to(body::text, 'UTF8'), timeout_milliseconds)
  $$;

  create function net.http_post(
    url text, body jsonb default '{}', params jsonb default '{}',
    headers jsonb default '{"Content-Type": "application/json"}',
    timeout_milliseconds integer default 5000
  ) returns bigint
  language plpgsql security definer set search_path = '' as $$
  declare
    content_type text;
    all_headers jsonb := coalesce(headers, '{}');
  begin
    select h.value into content_type
      from jsonb_each_text(all_headers) as h
     where lower(h.key) = 'content-type';
    if content_type is null then
      all_headers := all_headers || '{"Content-Type": "application/json"}';
    elsif content_type not like 'application/json%' then
      raise exception 'Content-Type header must be "application/json"';
    end if;
    return net._queue('POST', url, params, all_headers, convert_to(body::text, 'UTF8'), timeout_milliseconds);
  end;
  $$;

  -- Marks a queued request as one whose URL the project chose. Webhooks call the function: the URL is in the definition of their
  -- trigger, although a caller's statement fires the trigger.
  create function net._url_is_the_projects(request_id bigint) returns void
  language sql security definer set search_path = '' as $$
    update net.http_request_queue set url_by_caller = false where id = request_id
  $$;

  -- As on Supabase, the roles below may send requests. The functions run with the rights of supabase_admin (security definer), so that
  -- a trigger fired by anon can insert a request into the queue.
  alter table net.http_request_queue owner to supabase_admin;
  alter table net._http_response owner to supabase_admin;
  alter function net._queue(text, text, jsonb, jsonb, bytea, integer) owner to supabase_admin;
  alter function net._url_is_the_projects(bigint) owner to supabase_admin;
  alter function net.http_get(text, jsonb, jsonb, integer) owner to supabase_admin;
  alter function net.http_delete(text, jsonb, jsonb, integer, jsonb) owner to supabase_admin;
  alter function net.http_post(text, jsonb, jsonb, jsonb, integer) owner to supabase_admin;
  revoke all on all routines in schema net from public;
  grant usage on schema net
    to supabase_functions_admin, postgres, anon, authenticated, service_role;
  grant execute on function
    net.http_get(text, jsonb, jsonb, integer),
    net.http_delete(text, jsonb, jsonb, integer, jsonb),
    net.http_post(text, jsonb, jsonb, jsonb, integer)
    to supabase_functions_admin, postgres, anon, authenticated, service_role;
  grant execute on function net._url_is_the_projects(bigint) to supabase_functions_admin;
  grant select, delete on net.http_request_queue, net._http_response to postgres;
end;
$outer$;
