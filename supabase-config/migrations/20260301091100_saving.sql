-- Saving a record together with its links. Each is one statement to the caller and so
-- one transaction: what fails half-way has changed nothing.

-- Adds a contact, or changes the `contact` that was read when its updated_at was
-- `read_at`; false when somebody else has changed or deleted it since. The first of
-- the departments is the main one.
create function public.save_contact(
  record jsonb, departments uuid[], contact uuid default null, read_at timestamptz default null
) returns boolean
language plpgsql set search_path = '' as $$
declare
  given public.contacts := jsonb_populate_record(null::public.contacts, record);
  saved uuid;
begin
  perform club.require_admin();
  if coalesce(cardinality(departments), 0) = 0 then
    raise exception 'Please select at least one department';
  end if;
  if contact is null then
    insert into public.contacts (department_id, name, email, phone, position, status, notes)
    values (departments[1], given.name, given.email, given.phone, given.position, given.status, given.notes)
    returning id into saved;
  else
    update public.contacts
       set department_id = departments[1], name = given.name, email = given.email, phone = given.phone,
           position = given.position, status = given.status, notes = given.notes
     where id = contact and updated_at = read_at
    returning id into saved;
    if not found then
      return false;
    end if;
  end if;
  delete from public.contact_departments
   where contact_id = saved and department_id <> all (departments);
  insert into public.contact_departments (contact_id, department_id)
  select distinct saved, d from unnest(departments) as d
  on conflict (contact_id, department_id) do nothing;
  return true;
end;
$$;

-- Adds a judge, or changes the `judge` that was read when its updated_at was
-- `read_at`; false when somebody else has changed or deleted it since. A new record
-- that names the id and created_at of a deleted judge brings that judge back.
create function public.save_judge(
  record jsonb, categories text[], judge uuid default null, read_at timestamptz default null
) returns boolean
language plpgsql set search_path = '' as $$
declare
  given public.judges := jsonb_populate_record(null::public.judges, record);
  saved uuid;
begin
  perform club.require_admin();
  if coalesce(cardinality(categories), 0) = 0 then
    raise exception 'Please select at least one category';
  end if;
  if judge is null then
    insert into public.judges (id, name, email, phone, notes, created_at)
    values (coalesce(given.id, gen_random_uuid()), given.name, given.email, given.phone, given.notes,
            coalesce(given.created_at, now()))
    returning id into saved;
  else
    update public.judges
       set name = given.name, email = given.email, phone = given.phone, notes = given.notes
     where id = judge and updated_at = read_at
    returning id into saved;
    if not found then
      return false;
    end if;
  end if;
  delete from public.judge_categories
   where judge_id = saved and category <> all (categories);
  insert into public.judge_categories (judge_id, category)
  select distinct saved, c from unnest(categories) as c
  on conflict (judge_id, category) do nothing;
  return true;
end;
$$;

grant execute on function
  public.save_contact(jsonb, uuid[], uuid, timestamptz),
  public.save_judge(jsonb, text[], uuid, timestamptz)
  to authenticated, service_role;
