-- Listings of objects: one level of folders and files below a prefix. All run as
-- the caller, so row security says what is listed.

set local role supabase_storage_admin;

-- The first part of a key up to and with the delimiter, counted from the prefix;
-- null when the key has no delimiter after the prefix: a file of this level.
create or replace function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text)
returns text
language sql immutable as $$
  select case
    when position(p_delimiter in substring(p_key from length(p_prefix) + 1)) > 0
    then left(p_key,
      length(p_prefix)
      + position(p_delimiter in substring(p_key from length(p_prefix) + 1))
      + length(p_delimiter) - 1)
  end
$$;

-- The v1 listing: names relative to the prefix, case ignored, folders as rows
-- whose other columns are null.
create or replace function storage.search(
  prefix text,
  bucketname text,
  limits integer default 100,
  levels integer default 1,
  offsets integer default 0,
  search text default '',
  sortcolumn text default 'name',
  sortorder text default 'asc'
) returns table (
  name text, id uuid, updated_at timestamptz, created_at timestamptz,
  last_accessed_at timestamptz, metadata jsonb
)
language plpgsql stable as $$
declare
  starts_with text := coalesce(prefix, '') || coalesce(search, '');
  folder_of text := substring(coalesce(prefix, '') || coalesce(search, '') from '^(.*/)?');
  base integer := length(coalesce(prefix, ''));
  descending boolean := lower(coalesce(sortorder, 'asc')) = 'desc';
  by_column text := lower(coalesce(sortcolumn, 'name'));
begin
  if by_column not in ('name', 'updated_at', 'created_at', 'last_accessed_at') then
    by_column := 'name';
  end if;
  folder_of := coalesce(folder_of, '');
  return query
    with matching as (
      select o.*, storage.get_common_prefix(o.name, left(o.name, length(folder_of)), '/') as folder
        from storage.objects as o
       where o.bucket_id = bucketname
         and lower(o.name) collate "C" like
             (regexp_replace(lower(starts_with), '([\\%_])', '\\\1', 'g') || '%') collate "C"
    ), entries as (
      select m.name as full_name, m.id, m.updated_at, m.created_at, m.last_accessed_at, m.metadata
        from matching as m
       where m.folder is null
      union all
      select distinct left(m.folder, -1), null::uuid, null::timestamptz, null::timestamptz,
             null::timestamptz, null::jsonb
        from matching as m
       where m.folder is not null
    )
    select substring(e.full_name from base + 1), e.id, e.updated_at, e.created_at,
           e.last_accessed_at, e.metadata
      from entries as e
     order by
       -- Sorted by a time, folders come first; sorted by name, all are mixed.
       case when by_column <> 'name' and e.id is null then 0 else 1 end,
       case when not descending then
         case by_column when 'updated_at' then e.updated_at when 'created_at' then e.created_at
           when 'last_accessed_at' then e.last_accessed_at end end asc,
       case when descending then
         case by_column when 'updated_at' then e.updated_at when 'created_at' then e.created_at
           when 'last_accessed_at' then e.last_accessed_at end end desc,
       case when not descending then lower(e.full_name) collate "C" end asc,
       case when descending then lower(e.full_name) collate "C" end desc,
       e.id nulls last
     limit limits
    offset offsets;
end;
$$;

-- The v2 listing: full names, byte order, continued after a key (and, when
-- sorted by a time, after that time).
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
  by_column text := case when lower(p_sort_column) in ('created_at', 'updated_at')
                         then lower(p_sort_column) else 'name' end;
  position_of text;
begin
  -- A folder has no time; it sorts as the oldest.
  position_of := case by_column
    when 'name' then '(e.name collate "C")'
    else format('(date_trunc(''milliseconds'', coalesce(e.%I, ''epoch'')), e.name collate "C")', by_column)
  end;
  return query execute format($query$
    with matching as (
      select o.*, storage.get_common_prefix(o.name, $1, '/') as folder
        from storage.objects as o
       where o.bucket_id = $2
         and starts_with(o.name, $1)
    ), entries as (
      select m.name, m.id, m.updated_at, m.created_at, m.last_accessed_at, m.metadata
        from matching as m
       where m.folder is null
      union all
      select distinct m.folder, null::uuid, null::timestamptz, null::timestamptz,
             null::timestamptz, null::jsonb
        from matching as m
       where m.folder is not null
    )
    select split_part(e.name, '/', $6), e.name, e.id, e.updated_at, e.created_at, e.last_accessed_at, e.metadata
      from entries as e
     where $3 = '' or %1$s %2$s %3$s
     order by %4$s
     limit $4
  $query$,
    position_of, beyond,
    case by_column when 'name' then '($3 collate "C")'
      else '(coalesce(nullif($5, '''')::timestamptz, ''epoch''), $3 collate "C")' end,
    case by_column when 'name' then format('e.name collate "C" %s', direction)
      else format('date_trunc(''milliseconds'', coalesce(e.%I, ''epoch'')) %s, e.name collate "C" %s',
                  by_column, direction, direction) end)
  using coalesce(p_prefix, ''), p_bucket_id, coalesce(p_start_after, ''), p_limit,
        coalesce(p_sort_column_after, ''), greatest(coalesce(p_level, 1), 1);
end;
$$;

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
language sql stable as $$
  select * from storage.search_by_timestamp(
    prefix, bucket_name, limits, levels, start_after, sort_order, sort_column, sort_column_after)
$$;

create or replace function storage.list_objects_with_delimiter(
  _bucket_id text,
  prefix_param text,
  delimiter_param text,
  max_keys integer default 100,
  start_after text default '',
  next_token text default '',
  sort_order text default 'asc'
) returns table (
  name text, id uuid, metadata jsonb, updated_at timestamptz, created_at timestamptz,
  last_accessed_at timestamptz
)
language plpgsql stable as $$
declare
  direction text := case when lower(sort_order) = 'desc' then 'desc' else 'asc' end;
  beyond text := case when lower(sort_order) = 'desc' then '<' else '>' end;
begin
  return query execute format($query$
    with matching as (
      select o.*, case when $3 = '' then null else storage.get_common_prefix(o.name, $1, $3) end as folder
        from storage.objects as o
       where o.bucket_id = $2
         and starts_with(o.name, $1)
    ), entries as (
      select m.name, m.id, m.metadata, m.updated_at, m.created_at, m.last_accessed_at
        from matching as m
       where m.folder is null
      union all
      select distinct m.folder, null::uuid, null::jsonb, null::timestamptz, null::timestamptz,
             null::timestamptz
        from matching as m
       where m.folder is not null
    )
    select e.*
      from entries as e
     where $4 = '' or e.name collate "C" %s $4 collate "C"
     order by e.name collate "C" %s
     limit $5
  $query$, beyond, direction)
  using coalesce(prefix_param, ''), _bucket_id, coalesce(delimiter_param, ''),
        coalesce(nullif(next_token, ''), start_after, ''), max_keys;
end;
$$;

create or replace function storage.list_multipart_uploads_with_delimiter(
  bucket_id text,
  prefix_param text,
  delimiter_param text,
  max_keys integer default 100,
  next_key_token text default '',
  next_upload_token text default ''
) returns table (key text, id text, created_at timestamptz)
language sql stable as $$
  with matching as (
    select u.key, u.id, u.created_at,
           storage.get_common_prefix(u.key, coalesce(prefix_param, ''), delimiter_param) as folder
      from storage.s3_multipart_uploads as u
     where u.bucket_id = list_multipart_uploads_with_delimiter.bucket_id
       and starts_with(u.key, coalesce(prefix_param, ''))
  ), entries as (
    select m.key, m.id, m.created_at from matching as m where m.folder is null
    union all
    select m.folder, null, min(m.created_at) from matching as m where m.folder is not null group by m.folder
  )
  select e.key, e.id, e.created_at
    from entries as e
   where next_key_token = ''
      or e.key collate "C" > next_key_token collate "C"
      or (e.key = next_key_token and next_upload_token <> '' and e.id collate "C" > next_upload_token collate "C")
   order by e.key collate "C", e.id collate "C"
   limit max_keys
$$;

reset role;
