set local role supabase_storage_admin;

-- The v2 listing sorted by created_at or updated_at (`p_sort_column`): returns objects and folders directly below `p_prefix` that the
-- current role may see. The time of a folder is the earliest created_at of the objects in it.
--
-- A page has at most `p_limit` rows. It begins after the entry with the name `p_start_after` and the time `p_sort_column_after`; if
-- `p_start_after` is empty, it is the first page. `key` is the path segment of the name with the number `p_level`. Called by
-- storage.search_v2; callable by all roles.
create or replace function storage.search_by_timestamp(
  p_prefix text,
  p_bucket_id text,
  p_limit integer,
  p_level integer,
  p_start_after text,
  p_sort_order text,
  p_sort_column text,
  p_sort_column_after text
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz,
  last_accessed_at timestamptz, metadata jsonb
)
language plpgsql stable as $$
declare
  direction text := case when lower(p_sort_order) = 'desc' then 'desc' else 'asc' end;
  beyond text := case when lower(p_sort_order) = 'desc' then '<' else '>' end;
  by_column text := case when lower(p_sort_column) = 'updated_at' then 'updated_at' else 'created_at' end;
begin
  -- Times are compared in milliseconds, because this is the precision of the page cursors.
  return query execute format($query$
    with recursive folders (name) as (
      select (select left(o.name, length($1) + position('/' in substring(o.name from length($1) + 1)))
                from storage.objects as o
               where o.bucket_id = $2 and o.name collate "C" >= $1 collate "C" and o.name collate "C" < $7 collate "C"
                 and o.name collate "C" like $8
               order by o.name collate "C"
               limit 1)
      union all
      -- The next folder begins after all names in the current folder: `0` is the character after `/`.
      select (select left(o.name, length($1) + position('/' in substring(o.name from length($1) + 1)))
                from storage.objects as o
               where o.bucket_id = $2 and o.name collate "C" >= (left(f.name, -1) || '0') collate "C"
                 and o.name collate "C" < $7 collate "C" and o.name collate "C" like $8
               order by o.name collate "C"
               limit 1)
        from folders as f
       where f.name is not null
    ), gaps (lowest, highest) as (
      -- Finds the objects of this level: those before the first folder, between two folders, and after the last folder. The row without a
      -- name stands for the end of the list of folders.
      select coalesce(left(lag(f.name) over by_name, -1) || '0', $1), coalesce(f.name, $7)
        from folders as f
      window by_name as (order by f.name collate "C" nulls last)
    ), entries as (
      select o.name, false as is_folder, date_trunc('milliseconds', coalesce(o.%1$I, 'epoch')) as at
        from gaps as g
        join storage.objects as o
          on o.bucket_id = $2 and o.name collate "C" >= g.lowest collate "C" and o.name collate "C" < g.highest collate "C"
      union all
      select f.name, true, date_trunc('milliseconds', coalesce(
               (select min(o.created_at)
                  from storage.objects as o
                 where o.bucket_id = $2 and o.name collate "C" >= f.name collate "C"
                   and o.name collate "C" < (left(f.name, -1) || '0') collate "C"), 'epoch'))
        from folders as f
       where f.name is not null
    ), page as (
      select e.name, e.is_folder, e.at
        from entries as e
       where $3 = '' or (e.at, e.name collate "C") %2$s (coalesce(nullif($5, '')::timestamptz, 'epoch'), $3 collate "C")
       order by e.at %3$s, e.name collate "C" %3$s
       limit $4
    )
    select split_part(p.name, '/', $6), p.name, o.id,
           case when p.is_folder then p.at else o.updated_at end,
           case when p.is_folder then p.at else o.created_at end,
           o.last_accessed_at, o.metadata
      from page as p
      left join storage.objects as o on not p.is_folder and o.bucket_id = $2 and o.name = p.name
     order by p.at %3$s, p.name collate "C" %3$s
  $query$, by_column, beyond, direction)
  using coalesce(p_prefix, ''), p_bucket_id, coalesce(p_start_after, ''), p_limit,
        coalesce(p_sort_column_after, ''), greatest(coalesce(p_level, 1), 1),
        -- Upper end of the range of names. U+10FFFF is the greatest character, so all names with the prefix are less.
        coalesce(p_prefix, '') || chr(1114111),
        regexp_replace(coalesce(p_prefix, ''), '([\\%_])', '\\\1', 'g') || '%/%';
end;
$$;

reset role;
