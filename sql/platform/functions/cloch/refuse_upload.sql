-- Raises SQLSTATE CLLIM if `wait` is greater than zero, because the upload exceeds a limit of the visitor's network: files or KiB within an
-- hour, or unfinished uploads. The detail of the error is the time to wait in seconds, which the server sends as Retry-After. Only Cloch's
-- own login may call the function directly.
create or replace function cloch.refuse_upload(wait interval) returns void
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  if wait > interval '0' then
    raise sqlstate 'CLLIM' using
      message = 'this network has uploaded too much', detail = ceil(extract(epoch from wait))::bigint::text;
  end if;
end;
$$;
revoke execute on function cloch.refuse_upload(interval) from public;
