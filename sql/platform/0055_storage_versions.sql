-- Versions of objects, for buckets that keep them (`versioning_status`). storage.objects has what is at each key now, as ever. What was
-- there before, and the marks of deletions, are rows of a table of their own, which each write moves in its own transaction: other
-- buckets, and listings and policies that know nothing of versions, pay for none of it. A blob stays as long as a row of either names it.
--
-- Whether a caller may see or delete a version is what the policies on storage.objects say of it: of its own owner, metadata and id,
-- whoever has the key now. They are evaluated over rows that are in no table, so nothing is locked, and no trigger of the project runs.

alter table storage.buckets drop constraint if exists buckets_versioning_disabled_check;

create table if not exists cloch.object_versions (
  -- As in storage.objects: the key of the blob. A delete marker has one as well, and no blob.
  version          text not null,
  -- Newer versions of a key have greater numbers; the one in storage.objects is newer than all here (`cloch.current_version`).
  number           bigint generated always as identity,
  bucket_id        text not null,
  name             text collate "C" not null,
  -- The id of the object's row.
  object_id        uuid not null,
  owner            uuid,
  owner_id         text,
  created_at       timestamptz,
  updated_at       timestamptz,
  last_accessed_at timestamptz,
  metadata         jsonb,
  user_metadata    jsonb,
  -- When another took its place at the key. Null: a delete marker that is there now.
  archived_at      timestamptz,
  is_delete_marker boolean not null default false,
  -- False for the version that S3 calls null: of a time without versions. A key has one at most.
  is_versioned     boolean not null,
  constraint object_versions_pkey primary key (version),
  constraint object_versions_current_check check (archived_at is not null or is_delete_marker)
);
create unique index if not exists object_versions_marker_idx on cloch.object_versions (bucket_id, name)
  where archived_at is null;
create index if not exists object_versions_name_idx on cloch.object_versions (bucket_id, name, number desc);
create index if not exists object_versions_archived_at_idx on cloch.object_versions (bucket_id, archived_at);

revoke all on cloch.object_versions from public;
grant usage on schema cloch to service_role;
grant select, insert, update, delete on cloch.object_versions to service_role;

-- `versioning_status` of a bucket; null where there is no such bucket. A database of before versions lacks the column.
create or replace function cloch.versioning_status(of_bucket text) returns text
language sql stable set search_path = '' as $$
  select coalesce(to_jsonb(b) ->> 'versioning_status', 'DISABLED') from storage.buckets as b where b.id = of_bucket
$$;

-- What is at a key, as a version: with a number above all others.
create or replace function cloch.current_version(o storage.objects) returns cloch.object_versions
language sql immutable set search_path = '' as $$
  select row(o.version, 9223372036854775807, o.bucket_id, o.name, o.id, o.owner, o.owner_id, o.created_at, o.updated_at,
             o.last_accessed_at, o.metadata, o.user_metadata, null, false, o.is_versioned)::cloch.object_versions
$$;

-- Versions as the rows of storage.objects that policies are asked about. A delete marker has the metadata of what it hides.
create or replace function cloch.objects_of_versions(versions cloch.object_versions[]) returns storage.objects[]
language sql stable set search_path = '' as $$
  select array_agg(
           case when v.number = 9223372036854775807 then
             (select o from storage.objects as o where o.bucket_id = v.bucket_id and o.name = v.name)
           else jsonb_populate_record(null::storage.objects, to_jsonb(v) || jsonb_build_object(
             'id', v.object_id, 'path_tokens', string_to_array(v.name, '/'),
             'metadata', case when v.is_delete_marker then hidden.metadata else v.metadata end,
             'user_metadata', case when v.is_delete_marker then hidden.user_metadata else v.user_metadata end))
           end)
    from unnest(versions) as v
    left join lateral (
      select h.metadata, h.user_metadata from cloch.object_versions as h
       where v.is_delete_marker and h.bucket_id = v.bucket_id and h.name = v.name and h.number < v.number
         and not h.is_delete_marker
       order by h.number desc limit 1) as hidden on true
$$;

-- What a role may see, or see and delete, of storage.objects, as an expression over its columns: `true` where row-level security does
-- not concern the role, otherwise the policies as PostgreSQL joins them; `false` where none is for it.
create or replace function cloch.object_rule(of_role text, to_delete boolean) returns text
language plpgsql set search_path = '' as $$
declare
  objects constant regclass := 'storage.objects';
  former constant text := current_setting('role');
  is_active boolean;
  rule text;
begin
  if not has_table_privilege(of_role::name, objects, 'select')
    or to_delete and not has_table_privilege(of_role::name, objects, 'delete')
  then
    return 'false';
  end if;
  perform set_config('role', of_role, true);
  is_active := row_security_active(objects);
  perform set_config('role', former, true);
  if not is_active then
    return 'true';
  end if;
  -- With an empty search_path every name in the text has its schema. A policy that is for all commands counts for each.
  select case when bool_and(of_command.permissive is not null) then string_agg(
           format('(%s)%s', of_command.permissive, of_command.restrictive), ' and ') else 'false' end
    into rule
    from (select string_agg(format('(%s)', policy.text), ' or ') filter (where policy.polpermissive) as permissive,
                 coalesce(string_agg(format(' and (%s)', policy.text), '') filter (where not policy.polpermissive), '') as restrictive
            from unnest(case when to_delete then array['r', 'd']::"char"[] else array['r']::"char"[] end) as command (letter)
            left join lateral (
              select pg_get_expr(p.polqual, p.polrelid) as text, p.polpermissive
                from pg_catalog.pg_policy as p
               where p.polrelid = objects and p.polcmd in (command.letter, '*') and p.polqual is not null
                 and exists (select from unnest(p.polroles) as r (id) where r.id = 0 or pg_has_role(of_role::name, r.id, 'usage'))
            ) as policy on true
           group by command.letter) as of_command;
  return rule;
end;
$$;

-- Those of some rows of which a rule is true for a role; each is named by its version, or by its id where it has none.
create or replace function cloch.allowed_versions(caller_role text, rule text, asked storage.objects[]) returns text[]
language plpgsql set search_path = storage, public, extensions
as $$
declare
  former constant text := current_setting('role');
  allowed text[];
begin
  if rule = 'false' or asked is null then
    return '{}';
  end if;
  -- As the caller: what a policy calls or asks of other tables is the caller's to call and to ask.
  perform set_config('role', caller_role, true);
  execute 'select array_agg(coalesce(objects.version, objects.id::text)) from unnest($1) as objects where ' || rule
    into allowed using asked;
  perform set_config('role', former, true);
  return coalesce(allowed, '{}');
end;
$$;

-- Whether a caller may see, or see and delete, a version.
create or replace function cloch.may_version(caller_role text, v cloch.object_versions, to_delete boolean) returns boolean
language sql set search_path = '' as $$
  select cardinality(cloch.allowed_versions(caller_role, cloch.object_rule(caller_role, to_delete),
                                            cloch.objects_of_versions(array[v]))) > 0
$$;

-- A version of an object, which may be the one at the key; `null` stands for that of a time without versions.
create or replace function cloch.version_of(of_bucket text, of_name text, wanted text) returns cloch.object_versions
language plpgsql stable set search_path = '' as $$
declare
  found_row cloch.object_versions;
begin
  select (cloch.current_version(o)).* into found_row
    from storage.objects as o
   where o.bucket_id = of_bucket and o.name = of_name
     and (o.version = wanted or wanted = 'null' and o.version is not null and not o.is_versioned);
  if not found then
    select v.* into found_row
      from cloch.object_versions as v
     where v.bucket_id = of_bucket and v.name = of_name
       and (v.version = wanted or wanted = 'null' and not v.is_versioned);
  end if;
  return found_row;
end;
$$;

-- Makes room at a key for a version without a number of its own; returns the version whose blob nothing names any more.
create or replace function cloch.drop_null_version(of_bucket text, of_name text) returns text
language plpgsql set search_path = '' as $$
declare
  dropped cloch.object_versions;
begin
  delete from cloch.object_versions as v
   where v.bucket_id = of_bucket and v.name = of_name and not v.is_versioned
  returning v.* into dropped;
  return case when not dropped.is_delete_marker then dropped.version end;
end;
$$;

-- Keeps the row that a write or a deletion takes from a key; returns the version whose blob nothing names any more.
create or replace function cloch.archive_version(old storage.objects, status text) returns text
language plpgsql set search_path = '' as $$
declare
  dropped text;
begin
  if status = 'SUSPENDED' then
    dropped := cloch.drop_null_version(old.bucket_id, old.name);
    if not old.is_versioned then
      return old.version;
    end if;
  end if;
  -- A row without a version has no bytes here.
  if old.version is not null then
    insert into cloch.object_versions (version, bucket_id, name, object_id, owner, owner_id, created_at, updated_at,
                                       last_accessed_at, metadata, user_metadata, archived_at, is_versioned)
    select v.version, v.bucket_id, v.name, v.object_id, v.owner, v.owner_id, v.created_at, v.updated_at, v.last_accessed_at,
           v.metadata, v.user_metadata, clock_timestamp(), v.is_versioned
      from cloch.current_version(old) as v
    on conflict do nothing;
  end if;
  return dropped;
end;
$$;

-- Marks a key as deleted.
create or replace function cloch.mark_deleted(old storage.objects, status text) returns text
language sql set search_path = '' as $$
  insert into cloch.object_versions (version, bucket_id, name, object_id, owner, owner_id, created_at, updated_at,
                                     is_delete_marker, is_versioned)
  values (gen_random_uuid()::text, old.bucket_id, old.name, old.id, old.owner, old.owner_id, clock_timestamp(), clock_timestamp(),
          true, status = 'ENABLED')
  returning version
$$;

-- Exchanges the claims of the transaction, and returns those that it had. What the server writes of its own accord it writes with its own
-- claims, as an upload does: a trigger of the project that sets owners must not take the caller for the owner.
create or replace function cloch.exchange_claims(
  claims text[] default array['', '{"role":"service_role"}', '', 'service_role']) returns text[]
language plpgsql set search_path = '' as $$
declare
  names constant text[] := array['request.jwt', 'request.jwt.claims', 'request.jwt.claim.sub', 'request.jwt.claim.role'];
  former text[];
begin
  select array_agg(coalesce(current_setting(n.name, true), '') order by n.place) into former
    from unnest(names) with ordinality as n (name, place);
  perform set_config(n.name, n.value, true) from unnest(names, claims) as n (name, value);
  return former;
end;
$$;

revoke execute on function
  cloch.versioning_status(text), cloch.current_version(storage.objects), cloch.objects_of_versions(cloch.object_versions[]),
  cloch.object_rule(text, boolean), cloch.allowed_versions(text, text, storage.objects[]),
  cloch.may_version(text, cloch.object_versions, boolean), cloch.version_of(text, text, text),
  cloch.drop_null_version(text, text), cloch.archive_version(storage.objects, text),
  cloch.mark_deleted(storage.objects, text), cloch.exchange_claims(text[])
  from public;
-- What functions call once they have taken the service role.
grant execute on function
  cloch.versioning_status(text), cloch.current_version(storage.objects), cloch.objects_of_versions(cloch.object_versions[]),
  cloch.object_rule(text, boolean), cloch.allowed_versions(text, text, storage.objects[]),
  cloch.may_version(text, cloch.object_versions, boolean), cloch.version_of(text, text, text),
  cloch.drop_null_version(text, text), cloch.archive_version(storage.objects, text),
  cloch.mark_deleted(storage.objects, text), cloch.exchange_claims(text[])
  to service_role;
