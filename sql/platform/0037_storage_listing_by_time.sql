-- The v2 listing by time: a folder has the earliest created_at of the objects below it and stands among the objects
-- by it. An index of names and times finds the folders by a jump to each, and the earliest time of each without its
-- rows where no policy reads them; the other columns are read once the page is known.

set local role supabase_storage_admin;

-- Not updated_at: a replaced object's row would no longer stay on its page.
do $$
begin
  if not exists (
    select from pg_index as i join pg_attribute as a on a.attrelid = i.indexrelid
     where i.indexrelid = to_regclass('storage.idx_objects_bucket_id_name') and a.attname = 'created_at')
  then
    drop index if exists storage.idx_objects_bucket_id_name;
    create index idx_objects_bucket_id_name on storage.objects (bucket_id, name collate "C") include (created_at);
  end if;
end;
$$;

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
  -- Cursors carry milliseconds.
  return query execute format($query$
    with recursive folders (name) as (
      (select left(o.name, length($1) + position('/' in substring(o.name from length($1) + 1)))
         from storage.objects as o
        where o.bucket_id = $2 and o.name collate "C" >= $1 collate "C" and o.name collate "C" < $7 collate "C"
          and o.name collate "C" like $8
        order by o.name collate "C"
        limit 1)
      union all
      -- The next one begins behind all names of this one: 0 is the character after the slash.
      select (select left(o.name, length($1) + position('/' in substring(o.name from length($1) + 1)))
                from storage.objects as o
               where o.bucket_id = $2 and o.name collate "C" >= (left(f.name, -1) || '0') collate "C"
                 and o.name collate "C" < $7 collate "C" and o.name collate "C" like $8
               order by o.name collate "C"
               limit 1)
        from folders as f
       where f.name is not null
    ), entries as (
      select o.name, false as is_folder, date_trunc('milliseconds', coalesce(o.%1$I, 'epoch')) as at
        from storage.objects as o
       where o.bucket_id = $2 and o.name collate "C" >= $1 collate "C" and o.name collate "C" < $7 collate "C"
         and o.name collate "C" not like $8
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
        -- The last character there is: what begins with the prefix is before it.
        coalesce(p_prefix, '') || chr(1114111),
        regexp_replace(coalesce(p_prefix, ''), '([\\%_])', '\\\1', 'g') || '%/%';
end;
$$;

-- By name as before, for which storage.list_objects_with_delimiter has the entries.
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
