-- Lists versions that the caller may see: by name, the newest first. With a delimiter the names that have it after the prefix are
-- grouped: such a row has the folder as its name, and no version. The page begins after a version of a key, or after all of them.
create or replace function cloch.list_versions(
  caller_role text, in_bucket text, prefix text, exact boolean, delimiter text, noncurrent text, markers text,
  after_name text, after_version text, max_rows integer)
returns table (listed cloch.object_versions, is_latest boolean)
language plpgsql set search_path = storage, public, extensions
as $$
#variable_conflict use_variable
declare
  -- Versions that are read, and asked of the policies, at once.
  batch integer := least(1000, max_rows::bigint + 100);
  -- Nothing is between a text and the same with U+0001 behind it; U+10FFFF is the last character there is.
  highest constant text := prefix || chr(case when exact then 1 else 1114111 end);
  remaining integer := max_rows;
  lowest text := prefix;
  -- Of the lowest name, the versions below this number; all of them where it is null.
  below bigint;
  rule text;
  query text;
  entries cloch.object_versions[];
  asked storage.objects[];
  visible text[];
  found_row record;
  last cloch.object_versions;
  folder text;
  at_folder text;
begin
  perform set_config('role', 'service_role', true);
  rule := cloch.object_rule(caller_role, false);
  query := cloch.versions_query(rule <> 'true');
  if after_name collate "C" >= prefix collate "C" and after_name <> '' then
    lowest := after_name;
    if after_version = '' then
      below := 0;
    else
      -- Of one that is gone meanwhile it is unknown what came after it: the key is listed from its beginning.
      below := (cloch.version_of(in_bucket, after_name, after_version)).number;
    end if;
    if delimiter <> '' and starts_with(lowest, prefix) then
      folder := storage.get_common_prefix(lowest, prefix, delimiter);
    end if;
    if folder is not null then
      -- A folder is one row: the page goes on behind it.
      lowest := folder || chr(1114111);
      below := null;
    end if;
  end if;
  -- A caller for whom there is no policy at all sees nothing, without reading all of it.
  while remaining > 0 and rule <> 'false' loop
    execute query into entries, asked using in_bucket, lowest, below, highest, batch, noncurrent, markers;
    exit when entries is null;
    if rule <> 'true' then
      visible := cloch.allowed_versions(caller_role, rule, asked);
    end if;
    for found_row in
      select e as v
        from unnest(case when rule = 'true' or cardinality(visible) > 0 then entries end) as e
       where (noncurrent = 'include' or (e.archived_at is not null) = (noncurrent = 'only'))
         and (markers = 'include' or e.is_delete_marker = (markers = 'only'))
         and (rule = 'true' or coalesce(e.version, e.object_id::text) in (select unnest(visible)))
       order by e.name, e.number desc
    loop
      listed := found_row.v;
      folder := case when delimiter <> '' then storage.get_common_prefix((listed).name, prefix, delimiter) end;
      continue when folder = at_folder;
      at_folder := folder;
      is_latest := (listed).archived_at is null;
      if folder is not null then
        listed := null;
        listed.name := folder;
        is_latest := false;
      end if;
      return next;
      remaining := remaining - 1;
      exit when remaining <= 0;
    end loop;
    exit when cardinality(entries) < batch;
    batch := least(1000, batch * 2);
    last := entries[cardinality(entries)];
    lowest := last.name;
    below := last.number;
    if at_folder is not null and at_folder = storage.get_common_prefix(lowest, prefix, delimiter) then
      -- What else is in the folder need not be read.
      lowest := at_folder || chr(1114111);
      below := null;
    end if;
  end loop;
  -- A caller reads on in this transaction as nobody.
  perform set_config('role', 'none', true);
end;
$$;
revoke execute on function cloch.list_versions(text, text, text, boolean, text, text, text, text, text, integer) from public;
grant execute on function cloch.list_versions(text, text, text, boolean, text, text, text, text, text, integer) to service_role;
