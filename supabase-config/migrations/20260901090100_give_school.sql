-- As assign_school, which answers how many: which entries got the school, so that it
-- can be taken back from these and no others.
create function public.give_school(award text, school uuid) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  given uuid[];
begin
  perform club.require_admin();
  perform from public.schools where id = give_school.school;
  if not found then
    raise exception 'The school does not exist any more';
  end if;
  execute format(
    'with given as (update public.%I set school_id = $1 where school_id is null returning id)
     select coalesce(array_agg(id), ''{}'') from given', club.award_table(award))
  into given using give_school.school;
  return given;
end;
$$;

-- Takes a school from those of the entries that still have it; returns how many.
create function public.take_school_back(award text, school uuid, entries uuid[]) returns integer
language plpgsql set search_path = '' as $$
declare
  taken integer;
begin
  perform club.require_admin();
  execute format(
    'update public.%I set school_id = null where school_id = $1 and id = any ($2)', club.award_table(award))
  using take_school_back.school, take_school_back.entries;
  get diagnostics taken = row_count;
  return taken;
end;
$$;

-- The table of an award's entries.
create function club.award_table(award text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  case award
    when 'citizen' then return 'young_citizen_nominations';
    when 'musician' then return 'young_musician_entries';
    when 'photographer' then return 'young_photographer_entries';
    when 'artist' then return 'young_artist_entries';
    else
      raise exception 'There is no award named %', award
        using hint = 'citizen, musician, photographer or artist';
  end case;
end;
$$;

grant execute on function club.award_table(text) to authenticated, service_role;
grant execute on function public.give_school(text, uuid), public.take_school_back(text, uuid, uuid[])
  to authenticated, service_role;
