-- What a judge may do: read the Intermediate and Senior entries to the two
-- picture awards without anybody's contact data, and place them.

grant usage on schema public, auth to judge;

grant select (
  id, entrant_name, age, school, school_id, category,
  photo_title, photo_description, location_taken, camera_equipment,
  auxiliary_lens_used, image_edited, uploaded_files,
  junior_ranking, senior_ranking, ranking_conflict, created_at, updated_at
), update (junior_ranking, senior_ranking, ranking_conflict)
on public.young_photographer_entries to judge;

grant select (
  id, entrant_name, age, school, school_id, category,
  artwork_title, medium, artwork_description, inspiration, uploaded_files,
  junior_ranking, senior_ranking, ranking_conflict, created_at, updated_at
), update (junior_ranking, senior_ranking, ranking_conflict)
on public.young_artist_entries to judge;

-- The checks of the tables keep a place within 1 to 3 and in the column that fits
-- the category.
create policy "Judges read what they judge" on public.young_photographer_entries
  for select to judge using (lower(category) in ('intermediate', 'senior'));
create policy "Judges place what they judge" on public.young_photographer_entries
  for update to judge
  using (lower(category) in ('intermediate', 'senior'))
  with check (lower(category) in ('intermediate', 'senior'));
create policy "Judges read what they judge" on public.young_artist_entries
  for select to judge using (lower(category) in ('intermediate', 'senior'));
create policy "Judges place what they judge" on public.young_artist_entries
  for update to judge
  using (lower(category) in ('intermediate', 'senior'))
  with check (lower(category) in ('intermediate', 'senior'));

-- The name of a school that has an entry the judge reads, and nothing else of it.
grant select (id, name) on public.schools to judge;
create policy "Judges read the schools of entries" on public.schools
  for select to judge using (
    exists (select from public.young_artist_entries as e where e.school_id = schools.id)
    or exists (select from public.young_photographer_entries as e where e.school_id = schools.id));
