-- Lists the versions in bucket `in_bucket` that role `caller_role` may see. They are sorted by name in byte order; the newest version of a
-- name is the first.
-- * `prefix`: beginning of the names; with `exact`, the whole name.
-- * `delimiter`: names that have the delimiter after the prefix are grouped to a folder. A folder is one row in which only the name is set.
--   Empty for no folders.
-- * `noncurrent`, `markers`: whether former versions, and delete markers, are listed: `include` or `only`; any other value excludes them.
-- * `after_name`, `after_version`: the page begins after this version of the name. If `after_version` is empty, it begins after all
--   versions of the name. If `after_name` is empty, it is the first page.
-- * `max_rows`: maximum number of rows.
--
-- `is_latest` is true for the current version or the current delete marker. Callable by service_role.
create or replace function cloch.list_versions(
  caller_role text, in_bucket text, prefix text, exact boolean, delimiter text, noncurrent text, markers text,
  after_name text, after_version text, max_rows integer)
returns table (listed cloch.object_versions, is_latest boolean)
language plpgsql set search_path = storage, public, extensions
as $$
#variable_conflict use_variable
declare
  -- Number of versions that are read, and checked against the policies, in one statement.
  batch integer := least(1000, max_rows::bigint + 100);
  -- Exclusive upper end of the range of names. Between a text and the same text followed by U+0001 there is no other text. U+10FFFF is the
  -- greatest character.
  highest constant text := prefix || chr(case when exact then 1 else 1114111 end);
  remaining integer := max_rows;
  lowest text := prefix;
  -- Of the name `lowest`, only versions with numbers less than `below` are listed; all versions if `below` is null.
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
      -- If the version has been deleted since the last page, its position is unknown. The name is then listed from its newest version.
      below := (cloch.version_of(in_bucket, after_name, after_version)).number;
    end if;
    if delimiter <> '' and starts_with(lowest, prefix) then
      folder := storage.get_common_prefix(lowest, prefix, delimiter);
    end if;
    if folder is not null then
      -- A folder is one row. Therefore the page continues after all names in the folder.
      lowest := folder || chr(1114111);
      below := null;
    end if;
  end if;
  -- If no permissive policy applies to the role, the rule is `false` and no version is visible. Nothing is read then.
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
      -- The row of the folder is in the list now. The remaining names in the folder are skipped.
      lowest := at_folder || chr(1114111);
      below := null;
    end if;
  end loop;
  -- Later statements of the transaction must not run as service_role.
  perform set_config('role', 'none', true);
end;
$$;
revoke execute on function cloch.list_versions(text, text, text, boolean, text, text, text, text, text, integer) from public;
grant execute on function cloch.list_versions(text, text, text, boolean, text, text, text, text, text, integer) to service_role;
