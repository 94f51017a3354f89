-- Connections that callers can make the server open: where their text may choose the address, it is checked or refused.

-- As in 0024, and a trigger on a table of auth works with a caller's text too: what somebody signs up with.
do $outer$
begin
  if not exists (select from cloch.stand_ins where extension = 'pg_net') then
    return;
  end if;
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
            coalesce(current_setting('request.jwt.claims', true), '') <> ''
              -- The name of auth's connections, where all of the server's have one login.
              or session_user = 'supabase_auth_admin' or current_setting('application_name') = 'cloch auth')
    returning id into request_id;
    perform pg_notify('cloch_net', request_id::text);
    return request_id;
  end;
  $$;
end;
$outer$;

-- dblink_connect_u connects with the server's own rights, and may not be called by whom the default privileges of its schema name either:
-- in schema public those are the roles of callers.
create function cloch.close_dblink() returns void
language plpgsql set search_path = '' as $$
declare
  opened record;
begin
  for opened in
    select p.oid::regprocedure as function, grantee.grantee::regrole as role, grantee.grantee = 0 as is_public
      from pg_catalog.pg_proc as p
      join pg_catalog.pg_depend as d on d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
      join pg_catalog.pg_extension as e on d.refclassid = 'pg_catalog.pg_extension'::regclass and e.oid = d.refobjid
     cross join pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) as grantee
     where e.extname = 'dblink' and p.proname = 'dblink_connect_u' and grantee.grantee <> p.proowner
  loop
    execute pg_catalog.format('revoke all on function %s from %s cascade', opened.function, case when opened.is_public then 'public' else opened.role::text end);
  end loop;
end;
$$;

create function cloch.dblink_created() returns event_trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform cloch.close_dblink();
end;
$$;
revoke all on function cloch.close_dblink(), cloch.dblink_created() from public;

do $$
begin
  if cloch.is_superuser() then
    -- What somebody else has granted stays as it is.
    if to_regclass('cloch.attached') is null then
      perform cloch.close_dblink();
    end if;
    create event trigger cloch_dblink_created on ddl_command_end
      when tag in ('CREATE EXTENSION', 'ALTER EXTENSION') execute function cloch.dblink_created();
  end if;
end;
$$;
