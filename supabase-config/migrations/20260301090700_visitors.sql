-- What a visitor may do: enter, and read nothing, not even the entry just sent. (A
-- signed-in person without the admin role may do nothing.)

-- The columns of the forms. The others (id, school_id, rankings, stamps) have no
-- grant: naming one is refused, whatever its value.
grant insert (
  nomination_type, nominee_name, nominee_age, nominee_email, nominee_phone,
  parent_guardian_email, parent_guardian_phone,
  nominator_name, nominator_email, nominator_phone, nominator_relationship,
  key_achievement, community_impact, why_deserving, uploaded_files, submission_key
) on public.young_citizen_nominations to anon;

grant insert (
  entrant_name, age, email, phone, school, category, instrument,
  teacher_name, teacher_email, teacher_phone,
  parent_guardian_name, parent_guardian_email, parent_guardian_phone,
  piece_title, composer, piece_duration, music_selections,
  accompanist_required, accompanist_name, special_requirements,
  publicity_consent, signature, uploaded_files, submission_key
) on public.young_musician_entries to anon;

grant insert (
  entrant_name, age, preferred_pronoun, email, phone, school,
  teacher_name, teacher_email, teacher_phone,
  parent_guardian_name, parent_guardian_email, parent_guardian_phone,
  category, photo_title, photo_description, location_taken, camera_equipment,
  auxiliary_lens_used, image_edited, publicity_consent, uploaded_files, submission_key
) on public.young_photographer_entries to anon;

grant insert (
  entrant_name, age, preferred_pronoun, email, phone, school,
  teacher_name, teacher_email, teacher_phone,
  parent_guardian_name, parent_guardian_email, parent_guardian_phone,
  category, artwork_title, medium, artwork_description, inspiration,
  publicity_consent, uploaded_files, submission_key
) on public.young_artist_entries to anon;

create policy "Visitors enter" on public.young_citizen_nominations
  for insert to anon with check (true);
create policy "Visitors enter" on public.young_musician_entries
  for insert to anon with check (true);
create policy "Visitors enter" on public.young_photographer_entries
  for insert to anon with check (true);
create policy "Visitors enter" on public.young_artist_entries
  for insert to anon with check (true);
