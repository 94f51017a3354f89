-- Entries that were sent twice become one.

alter table public.audit_log drop constraint audit_action_is_known;
alter table public.audit_log
  add constraint audit_action_is_known check (action in ('insert', 'update', 'delete', 'merge'));

-- The kept entry with what another one has and it lacks: empty columns, and files. A
-- place counts only within its category.
create function club.filled_entry(kept jsonb, other jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select kept
    || coalesce((
         select jsonb_object_agg(o.key, o.value)
           from jsonb_each(other) as o
          where o.key <> 'withdrawn_at'
            and (kept -> o.key is null or kept -> o.key in ('null', '""', '[]', 'false'))
            and (o.key not like '%\_ranking' or lower(kept ->> 'category') = lower(other ->> 'category'))), '{}')
    || jsonb_build_object('uploaded_files', coalesce(nullif(kept -> 'uploaded_files', 'null'), '[]') || coalesce((
         select jsonb_agg(path)
           from jsonb_array_elements(coalesce(nullif(other -> 'uploaded_files', 'null'), '[]')) as path
          where not coalesce(nullif(kept -> 'uploaded_files', 'null'), '[]') @> path), '[]'))
$$;

-- Returns how many entries went into the kept one. It keeps its own answers; where it has
-- none it takes the newest of the others'. What the others said differently stands in its
-- history, which takes theirs over. With its owner's rights, for the log.
create function public.merge_entries(award text, keep uuid, others uuid[]) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  entry_table regclass := club.entry_table(award);
  table_name text;
  merged uuid[];
  kept jsonb;
  other jsonb;
  columns text;
begin
  perform club.require_admin();
  merged := club.lock_for_merge(entry_table, keep, others);
  select relname into table_name from pg_catalog.pg_class where oid = entry_table;
  execute format('select to_jsonb(e) from %s as e where id = $1', entry_table) into kept using keep;

  for other in execute format('select to_jsonb(e) from %s as e where id = any ($1) order by created_at desc', entry_table)
    using merged
  loop
    kept := club.filled_entry(kept, other);
    insert into public.audit_log (table_name, record_id, action, changes, actor_id, actor_email, actor_role)
    select table_name, keep, 'merge',
           jsonb_object_agg(o.key, jsonb_build_object('from', o.value, 'to', kept -> o.key)),
           auth.uid(), auth.email(), coalesce(auth.role(), session_user)
      from jsonb_each(other) as o
     where o.key not in ('id', 'submission_key', 'updated_at', 'uploaded_files')
       and o.value is distinct from kept -> o.key;
  end loop;

  perform set_config('club.deleting_season', 'on', true);
  update public.audit_log as l set record_id = keep where l.record_id = any (merged);
  execute format('delete from %s where id = any ($1)', entry_table) using merged;
  perform set_config('club.deleting_season', '', true);
  if to_regclass('club.mail_jobs') is not null then
    execute 'update club.mail_jobs set entry = $1 where entry = any ($2)' using keep, merged;
  end if;

  select string_agg(quote_ident(attname), ', ') into columns
    from pg_catalog.pg_attribute
   where attrelid = entry_table and attnum > 0 and not attisdropped
     and attname not in ('id', 'submission_key', 'created_at', 'updated_at');
  execute format('update %1$s set (%2$s) = (select %2$s from jsonb_populate_record(null::%1$s, $1)) where id = $2',
                 entry_table, columns)
    using kept, keep;
  return cardinality(merged);
end;
$$;

grant execute on function public.merge_entries(text, uuid, uuid[]) to authenticated, service_role;
