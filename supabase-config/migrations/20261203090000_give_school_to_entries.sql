-- Gives a school to those of the named entries that have none. Without names, entries of other seasons and withdrawn entries got it too, which
-- the dashboard neither shows nor counts.
drop function public.give_school(text, uuid);
create function public.give_school(award text, school uuid, entries uuid[]) returns uuid[]
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
    'with given as (
       update public.%I set school_id = $1
        where id = any ($2) and school_id is null and withdrawn_at is null
       returning id
     )
     select coalesce(array_agg(id), ''{}'') from given', club.award_table(award))
  into given using give_school.school, give_school.entries;
  return given;
end;
$$;
grant execute on function public.give_school(text, uuid, uuid[]) to authenticated, service_role;
