set local role supabase_storage_admin;

-- The v1 listing: returns the objects and folders one level below `prefix` whose names begin with `search`, ignoring case, and that the
-- current role may see. Names are relative to `prefix`. All other columns of a folder are null. `limits` and `offsets` are numbers of rows.
-- `sortcolumn` is name, updated_at, created_at or last_accessed_at. `levels` is ignored. The signature is that of Supabase. Callable by all
-- roles.
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
      select m.name as full_name, m.name as sorted_by, m.id, m.updated_at, m.created_at, m.last_accessed_at,
             m.metadata
        from matching as m
       where m.folder is null
      union all
      select distinct left(m.folder, -1), case by_column when 'name' then m.folder else left(m.folder, -1) end,
             null::uuid, null::timestamptz, null::timestamptz, null::timestamptz, null::jsonb
        from matching as m
       where m.folder is not null
    )
    select substring(e.full_name from base + 1), e.id, e.updated_at, e.created_at,
           e.last_accessed_at, e.metadata
      from entries as e
     order by
       -- If the rows are sorted by a time, folders come first. If they are sorted by name, folders and objects are mixed.
       case when by_column <> 'name' and e.id is null then 0 else 1 end,
       case when not descending then
         case by_column when 'updated_at' then e.updated_at when 'created_at' then e.created_at
           when 'last_accessed_at' then e.last_accessed_at end end asc,
       case when descending then
         case by_column when 'updated_at' then e.updated_at when 'created_at' then e.created_at
           when 'last_accessed_at' then e.last_accessed_at end end desc,
       -- In the order of names, a folder is sorted with its slash, like the objects in it: `a-b` and `a.b` are before the folder `a`.
       case when not descending then lower(e.sorted_by) collate "C" end asc,
       case when descending then lower(e.sorted_by) collate "C" end desc,
       e.id nulls last
     limit limits
    offset offsets;
end;
$$;

reset role;
