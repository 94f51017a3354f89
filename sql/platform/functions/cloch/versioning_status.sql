-- Returns a bucket's versioning status: DISABLED, ENABLED or SUSPENDED; null if the bucket does not exist. The function is written in
-- PL/pgSQL, because each upload calls it: PostgreSQL keeps the plans of PL/pgSQL functions, but plans an SQL function again in each
-- transaction. Callable by service_role.
create or replace function cloch.versioning_status(of_bucket text) returns text
language plpgsql stable set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  status text;
begin
  select coalesce(to_jsonb(b) ->> 'versioning_status', 'DISABLED') into status
    from storage.buckets as b where b.id = of_bucket;
  return status;
end;
$$;
revoke execute on function cloch.versioning_status(text) from public;
grant execute on function cloch.versioning_status(text) to service_role;
