-- Adds to the stand-in for pg_net the functions that read a response or concern the worker, which is the server itself.

do $outer$
begin
  if not exists (select from cloch.stand_ins where extension = 'pg_net') then
    return;
  end if;

  create type net.request_status as enum ('PENDING', 'SUCCESS', 'ERROR');
  create type net.http_response as (status_code integer, headers jsonb, body text);
  create type net.http_response_result as (status net.request_status, message text, response net.http_response);

  -- Waits until the response of a request is stored.
  create function net._await_response(request_id bigint) returns boolean
  language plpgsql as $$
  begin
    while not exists (select from net._http_response as r where r.id = request_id) loop
      perform pg_sleep(0.05);
    end loop;
    return true;
  end;
  $$;

  create function net._http_collect_response(request_id bigint, async boolean default true) returns net.http_response_result
  language plpgsql as $$
  declare
    response net._http_response;
  begin
    if not async then
      perform net._await_response(request_id);
    end if;
    select * into response from net._http_response as r where r.id = request_id;
    if response.id is null or response.error_msg is not null then
      return ('ERROR', coalesce(response.error_msg, 'request matching request_id not found'), null)::net.http_response_result;
    end if;
    return ('SUCCESS', 'ok',
            (response.status_code, response.headers, response.content)::net.http_response)::net.http_response_result;
  end;
  $$;

  create function net.http_collect_response(request_id bigint, async boolean default true) returns net.http_response_result
  language plpgsql as $$
  begin
    raise notice 'The net.http_collect_response function is deprecated.';
    return net._http_collect_response(request_id, async);
  end;
  $$;

  -- The server's sessions exist while the server runs.
  create function net.check_worker_is_up() returns void
  language plpgsql as $$
  begin
    if not exists (select from pg_catalog.pg_stat_activity
                    where application_name like 'cloch%' and datname = current_database()) then
      raise exception 'the pg_net background worker is not up'
        using detail = 'the server sends the requests, and it has no session in this database', hint = 'start the server';
    end if;
  end;
  $$;

  create function net.wait_until_running() returns void
  language plpgsql as $$
  begin
    while not exists (select from pg_catalog.pg_stat_activity
                       where application_name like 'cloch%' and datname = current_database()) loop
      perform pg_sleep(0.05);
      perform pg_stat_clear_snapshot();
    end loop;
  end;
  $$;

  create function net.worker_restart() returns boolean
  language plpgsql as $$
  begin
    raise notice 'the server sends the requests and restarts its worker itself';
    return true;
  end;
  $$;

  revoke all on function net._await_response(bigint), net._http_collect_response(bigint, boolean),
    net.http_collect_response(bigint, boolean), net.check_worker_is_up(), net.wait_until_running(), net.worker_restart() from public;
  grant execute on function net._await_response(bigint), net._http_collect_response(bigint, boolean),
    net.http_collect_response(bigint, boolean), net.check_worker_is_up(), net.wait_until_running(), net.worker_restart() to postgres;
end;
$outer$;
