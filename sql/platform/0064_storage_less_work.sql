-- Less work for each upload, and for each version that a listing passes over.

-- Writes the row as the caller and takes it back: policies, constraints and triggers of the project say no by raising. Returns the limits
-- of the bucket, which the caller need not see.
--
-- The service role is not tried where nothing could answer otherwise than when it writes the row for good: no policy concerns it, and the
-- project has no trigger. A row that is written and taken back leaves its place in the table and in each index to be cleaned up.
create or replace function cloch.try_object(
  names text[], texts text[], caller_role text,
  to_bucket text, to_name text, row_owner uuid, row_owner_id text, row_metadata jsonb, row_user_metadata jsonb,
  replaces boolean)
returns table (file_size_limit bigint, allowed_mime_types text[])
language plpgsql set search_path = storage, public, extensions
as $$
#variable_conflict use_column
declare
  visible uuid;
begin
  -- Nothing that stays is written, so no disk is waited for.
  perform set_config('synchronous_commit', 'off', true);
  perform set_config(setting.name, setting.text, true) from unnest(names, texts) as setting (name, text);
  perform set_config('role', 'service_role', true);
  return query
    select b.file_size_limit, b.allowed_mime_types from storage.buckets as b where b.id = to_bucket;
  if found and caller_role = 'service_role' and not row_security_active('storage.objects')
    and not exists (
      select from pg_catalog.pg_trigger as t
       -- On insert or update.
       where t.tgrelid = 'storage.objects'::regclass and t.tgtype & 20 <> 0 and not t.tgisinternal
         and t.tgfoid is distinct from to_regprocedure('storage.update_updated_at_column()'))
  then
    if not replaces and exists (select from storage.objects as o where o.bucket_id = to_bucket and o.name = to_name) then
      raise unique_violation using constraint = 'bucketid_objname';
    end if;
    return;
  end if;
  perform set_config('role', caller_role, true);
  begin
    if replaces then
      insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (to_bucket, to_name, row_owner, row_owner_id, '1', row_metadata, row_user_metadata)
      on conflict (bucket_id, name) do update
        set metadata = excluded.metadata,
            version = excluded.version,
            user_metadata = coalesce(excluded.user_metadata, o.user_metadata),
            owner = coalesce(excluded.owner, o.owner),
            owner_id = coalesce(excluded.owner_id, o.owner_id)
      -- What is returned must be visible: replacing needs the right to read.
      returning o.id into visible;
    else
      insert into storage.objects (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (to_bucket, to_name, row_owner, row_owner_id, '1', row_metadata, row_user_metadata);
    end if;
    raise sqlstate 'CLTRY';
  exception when sqlstate 'CLTRY' then
    null;
  end;
end;
$$;

-- Writes the row for good, in a transaction of the service role. Inserts it, or replaces what is at the key: the row keeps its id then;
-- its owner and custom metadata too, unless new ones are given. `replaced` is the version whose blob nothing names any more. Without
-- versions, of two upserts at once that of one may be told wrongly; the sweep finds what neither deletes.
--
-- It names no type of schema storage: it is compiled before it takes the role that may look into it. Whether the bucket keeps versions is
-- read here, and in no function of its own: to enter one that has settings takes longer than the reading.
create or replace function cloch.write_object(
  names text[], texts text[],
  to_bucket text, to_name text, row_owner uuid, row_owner_id text, row_version text, row_metadata jsonb,
  row_user_metadata jsonb, replaces boolean)
returns table (id uuid, replaced text, is_versioned boolean)
language plpgsql set search_path = storage, public, extensions
as $$
#variable_conflict use_column
declare
  status text;
begin
  perform set_config(setting.name, setting.text, true) from unnest(names, texts) as setting (name, text);
  perform set_config('role', 'service_role', true);
  -- Without the column, in a database of before versions, the name is that of the text beside it.
  select kept.versioning_status into status
    from (select 'DISABLED' as versioning_status) as lacking
    cross join lateral (select versioning_status from storage.buckets as b where b.id = to_bucket) as kept;
  if status <> 'DISABLED' then
    return query
      select written.id, written.replaced, written.is_versioned
        from cloch.write_version(status, to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata,
                                 row_user_metadata, replaces) as written;
  elsif replaces then
    return query
      with old as (
        select o.version from storage.objects as o where o.bucket_id = to_bucket and o.name = to_name
      )
      insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata, row_user_metadata)
      on conflict (bucket_id, name) do update
        set metadata = excluded.metadata,
            version = excluded.version,
            user_metadata = coalesce(excluded.user_metadata, o.user_metadata),
            owner = coalesce(excluded.owner, o.owner),
            owner_id = coalesce(excluded.owner_id, o.owner_id)
      returning o.id, (select old.version from old), false;
  else
    return query
      insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata, row_user_metadata)
      returning o.id, null::text, false;
  end if;
end;
$$;

-- A listing of versions that the caller may see reads all that come before those: its pages do not end earlier (docs/storage.md says why),
-- so what the caller may not see must cost little.

-- The statement that reads versions of a bucket in the order of listings, by name, the newest first; from a name ($2) up to another one
-- (without it, $4), of the first name those below a number ($3), at most so many ($5). Its row has the versions, and as rows of
-- storage.objects, for the policies, those of them that the page may have ($6 and $7: noncurrent versions, delete markers). A delete
-- marker has the metadata of what it hides. The columns are those that storage.objects has here.
create or replace function cloch.versions_query(for_policies boolean) returns text
language sql stable set search_path = '' as $$
  select format($query$
    select array_agg(page.v),
           array_agg(%s) filter (
             where ($6 = 'include' or ((page.v).archived_at is not null) = ($6 = 'only'))
               and ($7 = 'include' or (page.v).is_delete_marker = ($7 = 'only')))
      from (select either.v, either.o
              from ((select v, null::storage.objects from cloch.object_versions as v
                      where v.bucket_id = $1 and v.name = $2 and v.name < $4 and ($3 is null or v.number < $3)
                      order by v.number desc limit $5)
                    union all
                    (select v, null from cloch.object_versions as v
                      where v.bucket_id = $1 and v.name > $2 and v.name < $4
                      order by v.name, v.number desc limit $5)
                    union all
                    (select row(o.version, 9223372036854775807, o.bucket_id, o.name, o.id, o.owner, o.owner_id, o.created_at,
                                o.updated_at, o.last_accessed_at, o.metadata, o.user_metadata, null, false,
                                o.is_versioned)::cloch.object_versions, o
                       from storage.objects as o
                      where o.bucket_id = $1 and o.name collate "C" >= $2 and o.name collate "C" < $4
                        and ($3 is null or o.name collate "C" > $2)
                      order by o.name collate "C" limit $5)) as either (v, o)
             order by (either.v).name, (either.v).number desc limit $5) as page
    $query$,
    case when for_policies then
      format('case when (page.v).archived_at is null and not (page.v).is_delete_marker then page.o '
             'else row(%s)::storage.objects end', columns.texts)
    else 'page.o' end)
    from (select string_agg(
                   case when a.attname = 'id' then '(page.v).object_id'
                        when a.attname = 'path_tokens' then 'string_to_array((page.v).name, ''/'')'
                        when a.attname in ('metadata', 'user_metadata') then format(
                          'case when (page.v).is_delete_marker then '
                          '(select h.%1$I from cloch.object_versions as h '
                            'where h.bucket_id = (page.v).bucket_id and h.name = (page.v).name '
                              'and h.number < (page.v).number and not h.is_delete_marker '
                            'order by h.number desc limit 1) '
                          'else (page.v).%1$I end', a.attname)
                        when kept.attname is not null then format('(page.v).%I', a.attname)
                        else 'null' end, ', ' order by a.attnum) as texts
            from pg_catalog.pg_attribute as a
            left join pg_catalog.pg_attribute as kept
              on kept.attrelid = 'cloch.object_versions'::regclass and kept.attname = a.attname and not kept.attisdropped
           where a.attrelid = 'storage.objects'::regclass and a.attnum > 0 and not a.attisdropped) as columns
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

drop function if exists cloch.versions_between(text, text, bigint, text, integer);

revoke execute on function cloch.versions_query(boolean) from public;
grant execute on function cloch.versions_query(boolean) to service_role;
