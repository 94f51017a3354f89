set local role supabase_storage_admin;

create or replace function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
language sql stable as $$
  select sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id
    from storage.objects as o
   group by o.bucket_id
$$;

reset role;
