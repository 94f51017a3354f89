set local role supabase_storage_admin;

-- Lists the objects of a bucket that the current role may see, sorted by name in byte order. Names that have the delimiter after the prefix
-- are grouped to folders, which are rows in which only the name is set. If the delimiter is null or empty, no names are grouped. The
-- function skips the names in a folder with one index lookup.
--
-- A page has at most `max_keys` rows. It begins after the name `next_token`; if this is empty, after `start_after`. The signature is that
-- of Supabase. Callable by all roles.
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
  prefix constant text := coalesce(prefix_param, '');
  delimiter constant text := nullif(delimiter_param, '');
  after constant text := coalesce(nullif(next_token, ''), start_after, '');
  descending constant boolean := lower(sort_order) = 'desc';
  -- The range of names to list: from `lowest`, inclusive, to `highest`, exclusive. If `highest` is null, the range has no upper end.
  lowest text := prefix;
  highest text := storage.beyond_prefix(prefix);
  remaining integer := max_keys;
  folder text;
  is_folder boolean;
begin
  if after <> '' and starts_with(after, prefix) then
    folder := storage.get_common_prefix(after, prefix, delimiter);
  end if;
  if after <> '' and not descending then
    -- Between a text and the same text followed by U+0001 there is no other text.
    lowest := case when folder is null then after || chr(1) else storage.beyond_prefix(folder) end;
    if lowest is null then
      return;
    end if;
    lowest := greatest(prefix collate "C", lowest collate "C");
  elsif after <> '' then
    -- In descending order a folder comes after the names in it. If the page begins after a name in a folder, the folder itself has not been
    -- listed yet.
    highest := least(highest collate "C",
      case when folder <> after then storage.beyond_prefix(folder) else after end collate "C");
  end if;

  while remaining > 0 loop
    is_folder := false;
    for name, id, metadata, updated_at, created_at, last_accessed_at in
      execute format(
        'select o.name, o.id, o.metadata, o.updated_at, o.created_at, o.last_accessed_at
           from storage.objects as o
          where o.bucket_id = $1 and o.name collate "C" >= $2 collate "C" %s
          order by o.name collate "C" %s
          limit $4',
        case when highest is not null then 'and o.name collate "C" < $3 collate "C"' end,
        case when descending then 'desc' end)
      using _bucket_id, lowest, highest, remaining
    loop
      folder := storage.get_common_prefix(name, prefix, delimiter);
      is_folder := folder is not null;
      if is_folder then
        name := folder;
        id := null;
        metadata := null;
        updated_at := null;
        created_at := null;
        last_accessed_at := null;
      end if;
      return next;
      remaining := remaining - 1;
      exit when is_folder;
    end loop;
    exit when not is_folder;
    if descending then
      highest := folder;
    else
      lowest := storage.beyond_prefix(folder);
      exit when lowest is null;
    end if;
  end loop;
end;
$$;

reset role;
