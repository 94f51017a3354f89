set local role supabase_storage_admin;

-- Returns for each bucket the total size in bytes of the objects that the current role may see. The signature is that of Supabase. Callable
-- by all roles.
create or replace function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
language sql stable as $$
  select sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id
    from storage.objects as o
   group by o.bucket_id
$$;

reset role;
