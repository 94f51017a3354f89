-- Merging duplicates. Each merge is one statement to the caller and so one
-- transaction: what fails half-way has changed nothing.

-- The records to merge, locked in one order so that two merges cannot wait for
-- each other; an error when one is missing.
create function club.lock_for_merge(record_table regclass, keep uuid, others uuid[]) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  merged uuid[];
  found_count integer;
begin
  perform club.require_admin();
  select array_agg(distinct o) into merged from unnest(others) as o where o is distinct from keep and o is not null;
  if keep is null or merged is null then
    raise exception 'Choose the record to keep and at least one other';
  end if;
  execute format('select count(*) from (select from %s where id = any ($1) order by id for update) as locked', record_table)
    into found_count using merged || keep;
  if found_count <> cardinality(merged) + 1 then
    raise exception 'One of the records does not exist any more' using hint = 'Reload the page and choose again.';
  end if;
  return merged;
end;
$$;

-- Returns how many schools went into the kept one.
create function public.merge_schools(keep uuid, others uuid[]) returns integer
language plpgsql set search_path = '' as $$
declare
  merged uuid[] := club.lock_for_merge('public.schools', keep, others);
begin
  update public.young_citizen_nominations set school_id = keep where school_id = any (merged);
  update public.young_musician_entries set school_id = keep where school_id = any (merged);
  update public.young_photographer_entries set school_id = keep where school_id = any (merged);
  update public.young_artist_entries set school_id = keep where school_id = any (merged);
  update public.departments set school_id = keep where school_id = any (merged);

  -- One count a school and category: those of the others are added.
  insert into public.offline_submissions as kept (school_id, category, count, notes)
  select keep, o.category, sum(o.count)::integer,
         left(string_agg(o.notes, E'\n' order by o.created_at), 1000)
    from public.offline_submissions as o
   where o.school_id = any (merged)
   group by o.category
  on conflict (school_id, category) do update
    set count = kept.count + excluded.count,
        notes = left(concat_ws(E'\n', kept.notes, excluded.notes), 1000);
  delete from public.offline_submissions where school_id = any (merged);

  delete from public.schools where id = any (merged);
  return cardinality(merged);
end;
$$;

create function public.merge_departments(keep uuid, others uuid[]) returns integer
language plpgsql set search_path = '' as $$
declare
  merged uuid[] := club.lock_for_merge('public.departments', keep, others);
begin
  insert into public.contact_departments (contact_id, department_id)
  select distinct l.contact_id, keep
    from public.contact_departments as l
   where l.department_id = any (merged)
  on conflict (contact_id, department_id) do nothing;
  delete from public.contact_departments where department_id = any (merged);
  update public.contacts set department_id = keep where department_id = any (merged);

  delete from public.departments where id = any (merged);
  return cardinality(merged);
end;
$$;

create function public.merge_contacts(keep uuid, others uuid[]) returns integer
language plpgsql set search_path = '' as $$
declare
  merged uuid[] := club.lock_for_merge('public.contacts', keep, others);
begin
  update public.interactions set contact_id = keep where contact_id = any (merged);
  insert into public.contact_departments (contact_id, department_id)
  select distinct keep, l.department_id
    from public.contact_departments as l
   where l.contact_id = any (merged)
  on conflict (contact_id, department_id) do nothing;

  -- Their links go with them.
  delete from public.contacts where id = any (merged);
  return cardinality(merged);
end;
$$;

grant execute on function
  club.lock_for_merge(regclass, uuid, uuid[]),
  public.merge_schools(uuid, uuid[]),
  public.merge_departments(uuid, uuid[]),
  public.merge_contacts(uuid, uuid[])
  to authenticated, service_role;
