-- A merge publishes nothing that nobody has agreed to: a refused consent of one of the entries is a refusal of the merged one, a withdrawn entry is
-- not merged with one that counts, and what the merged entry shows is published anew by an administrator.

-- As before, and a consent that one of the two refuses is refused.
create or replace function club.filled_entry(kept jsonb, other jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select kept
    || coalesce((
         select jsonb_object_agg(o.key, o.value)
           from jsonb_each(other) as o
          where o.key <> 'withdrawn_at'
            and (kept -> o.key is null or kept -> o.key in ('null', '""', '[]', 'false')
                 or (o.key like '%\_consent' and o.value = '"disagree"'))
            and (o.key not like '%\_ranking' or lower(kept ->> 'category') = lower(other ->> 'category'))), '{}')
    || jsonb_build_object('uploaded_files', coalesce(nullif(kept -> 'uploaded_files', 'null'), '[]') || coalesce((
         select jsonb_agg(path)
           from jsonb_array_elements(coalesce(nullif(other -> 'uploaded_files', 'null'), '[]')) as path
          where not coalesce(nullif(kept -> 'uploaded_files', 'null'), '[]') @> path), '[]'))
$$;

-- Takes an entry from what was published: visitors see it again when an administrator has published again.
create function club.unpublish_entry(entry uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  -- A publication that is being made is finished first.
  lock table public.site_publications in share row exclusive mode;
  update public.site_publications as p
     set content = jsonb_set(p.content, '{results}', (
           select coalesce(jsonb_agg(r order by place), '[]')
             from jsonb_array_elements(p.content -> 'results') with ordinality as list (r, place)
            where r ->> 'entry' <> unpublish_entry.entry::text))
   where p.content -> 'results' @> jsonb_build_array(jsonb_build_object('entry', unpublish_entry.entry));
end;
$$;
revoke execute on function club.unpublish_entry(uuid) from public;

-- As before. Entries that count and withdrawn ones are not merged, and the kept entry leaves the results until it is listed and published again.
create or replace function public.merge_entries(award text, keep uuid, others uuid[]) returns integer
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
    if (kept ->> 'withdrawn_at' is null) <> (other ->> 'withdrawn_at' is null) then
      raise exception 'A withdrawn entry cannot be merged with one that is not withdrawn'
        using hint = 'Delete the withdrawn entry, or take its withdrawal back first.';
    end if;
    kept := club.filled_entry(kept, other);
    insert into public.audit_log (table_name, record_id, action, changes, actor_id, actor_email, actor_role)
    select table_name, keep, 'merge',
           jsonb_object_agg(o.key, jsonb_build_object('from', o.value, 'to', kept -> o.key)),
           auth.uid(), auth.email(), coalesce(auth.role(), session_user)
      from jsonb_each(other) as o
     where o.key not in ('id', 'submission_key', 'updated_at', 'uploaded_files')
       and o.value is distinct from kept -> o.key;
  end loop;

  -- Before the deletion, with which the mails of the merged entries are forgotten.
  perform club.take_over_mails(award, keep, merged);
  perform set_config('club.deleting_season', 'on', true);
  update public.audit_log as l set record_id = keep where l.record_id = any (merged);
  execute format('delete from %s where id = any ($1)', entry_table) using merged;
  perform set_config('club.deleting_season', '', true);

  select string_agg(quote_ident(attname), ', ') into columns
    from pg_catalog.pg_attribute
   where attrelid = entry_table and attnum > 0 and not attisdropped
     and attname not in ('id', 'submission_key', 'created_at', 'updated_at');
  execute format('update %1$s set (%2$s) = (select %2$s from jsonb_populate_record(null::%1$s, $1)) where id = $2',
                 entry_table, columns)
    using kept, keep;
  delete from public.site_results as r where r.entry = keep;
  perform club.unpublish_entry(keep);
  return cardinality(merged);
end;
$$;
