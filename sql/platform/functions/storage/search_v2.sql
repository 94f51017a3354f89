set local role supabase_storage_admin;

-- The v2 listing: returns objects and folders directly below `prefix` that the current role may see, at most `limits` rows after
-- `start_after`. To sort by created_at or updated_at, it calls storage.search_by_timestamp; to sort by name,
-- storage.list_objects_with_delimiter. `key` is the path segment of the name with the number `levels`. The signature is that of Supabase.
-- Callable by all roles.
create or replace function storage.search_v2(
  prefix text,
  bucket_name text,
  limits integer default 100,
  levels integer default 1,
  start_after text default '',
  sort_order text default 'asc',
  sort_column text default 'name',
  sort_column_after text default ''
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz,
  last_accessed_at timestamptz, metadata jsonb
)
language plpgsql stable as $$
begin
  if lower(sort_column) in ('created_at', 'updated_at') then
    return query select * from storage.search_by_timestamp(
      prefix, bucket_name, limits, levels, start_after, sort_order, sort_column, sort_column_after);
  else
    return query
      select split_part(l.name, '/', greatest(coalesce(levels, 1), 1)), l.name, l.id, l.updated_at, l.created_at,
             l.last_accessed_at, l.metadata
        from storage.list_objects_with_delimiter(
               bucket_name, coalesce(prefix, ''), '/', limits, coalesce(start_after, ''), '', sort_order) as l;
  end if;
end;
$$;

reset role;
