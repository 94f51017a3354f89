-- Whether a bucket keeps versions, asked by every upload: PostgreSQL keeps the plan of a function in PL/pgSQL, and makes that of one in SQL
-- anew in each transaction.
create or replace function cloch.versioning_status(of_bucket text) returns text
language plpgsql stable set search_path = '' as $$
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
