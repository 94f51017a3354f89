-- Reading and listing versions of objects, for callers who may see them.

-- Finds a version that the caller may see; `null` stands for that of a time without versions.
create or replace function cloch.find_version(caller_role text, of_bucket text, of_name text, wanted text)
returns setof cloch.object_versions
language plpgsql set search_path = storage, public, extensions
as $$
declare
  found_row cloch.object_versions;
begin
  perform set_config('role', 'service_role', true);
  found_row := cloch.version_of(of_bucket, of_name, wanted);
  if found_row.version is not null and cloch.may_version(caller_role, found_row, false) then
    return next found_row;
  end if;
end;
$$;

-- Versions of a bucket in the order of listings, by name, the newest first: from a name up to another one (without it), of the first name
-- those below a number.
create or replace function cloch.versions_between(
  in_bucket text, lowest text, below bigint, highest text, max_rows integer) returns cloch.object_versions[]
language sql stable set search_path = '' as $$
  select array_agg(entry.v order by (entry.v).name, (entry.v).number desc)
    from (select either.v
            from ((select v from cloch.object_versions as v
                    where v.bucket_id = in_bucket and v.name = lowest and v.name < highest and (below is null or v.number < below)
                    order by v.number desc limit max_rows)
                  union all
                  (select v from cloch.object_versions as v
                    where v.bucket_id = in_bucket and v.name > lowest and v.name < highest
                    order by v.name, v.number desc limit max_rows)
                  union all
                  (select cloch.current_version(o) from storage.objects as o
                    where o.bucket_id = in_bucket and o.name collate "C" >= lowest and o.name collate "C" < highest
                      and (below is null or o.name collate "C" > lowest)
                    order by o.name collate "C" limit max_rows)) as either (v)
           order by (either.v).name, (either.v).number desc limit max_rows) as entry
$$;

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
  entries cloch.object_versions[];
  entry cloch.object_versions;
  folder text;
  at_folder text;
  asked cloch.object_versions[];
  visible text[];
begin
  perform set_config('role', 'service_role', true);
  rule := cloch.object_rule(caller_role, false);
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
    entries := cloch.versions_between(in_bucket, lowest, below, highest, batch);
    exit when entries is null;
    if rule <> 'true' then
      select array_agg(one) into asked from unnest(entries) as one
       where (noncurrent = 'include' or (one.archived_at is not null) = (noncurrent = 'only'))
         and (markers = 'include' or one.is_delete_marker = (markers = 'only'));
      visible := cloch.allowed_versions(caller_role, rule, cloch.objects_of_versions(asked));
    end if;
    foreach entry in array entries loop
      lowest := entry.name;
      below := entry.number;
      folder := case when delimiter <> '' then storage.get_common_prefix(entry.name, prefix, delimiter) end;
      continue when folder = at_folder
        or noncurrent <> 'include' and (entry.archived_at is not null) <> (noncurrent = 'only')
        or markers <> 'include' and entry.is_delete_marker <> (markers = 'only')
        or rule <> 'true' and not coalesce(entry.version, entry.object_id::text) = any(visible);
      at_folder := folder;
      listed := entry;
      is_latest := entry.archived_at is null;
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
    if folder = at_folder then
      -- What else is in the folder need not be read.
      lowest := folder || chr(1114111);
      below := null;
    end if;
  end loop;
  -- A caller reads on in this transaction as nobody.
  perform set_config('role', 'none', true);
end;
$$;

revoke execute on function
  cloch.find_version(text, text, text, text), cloch.versions_between(text, text, bigint, text, integer),
  cloch.list_versions(text, text, text, boolean, text, text, text, text, text, integer)
  from public;
grant execute on function
  cloch.find_version(text, text, text, text), cloch.versions_between(text, text, bigint, text, integer),
  cloch.list_versions(text, text, text, boolean, text, text, text, text, text, integer)
  to service_role;
