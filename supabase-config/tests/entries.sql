-- Tests that a visitor can insert an entry, and cannot do anything else with entries.
create temporary table entry (kind text, statement text);
grant select on entry to public;
insert into entry values
  ('citizen', $$insert into public.young_citizen_nominations (nomination_type, nominee_name, nominee_age, parent_guardian_email, nominator_name, nominator_email, key_achievement, why_deserving, uploaded_files, submission_key%1$s)
     values ('individual', 'A Nominee', %3$s, 'parent@example.org', 'A Nominator', 'n@example.org', 'kind', 'true', array['young-citizen/a-nominee/1760000000000-a.pdf'], '00000000-0000-4000-8000-0000000000c1'%2$s)$$),
  ('musician', $$insert into public.young_musician_entries (entrant_name, age, email, phone, school, category, instrument, teacher_name, teacher_email, teacher_phone, parent_guardian_name, parent_guardian_email, parent_guardian_phone, piece_title, composer, piece_duration, accompanist_required, special_requirements, uploaded_files, submission_key%1$s)
     values ('A Player', %3$s, 'p@example.org', '1', 'S', 'instrumental', 'Fiddle', '', '', '', '', 'p@example.org', '1', 'A; B', '', '', false, '', '{}', '00000000-0000-4000-8000-0000000000c2'%2$s)$$),
  ('photographer', $$insert into public.young_photographer_entries (entrant_name, age, school, teacher_name, parent_guardian_name, parent_guardian_email, category, photo_title, photo_description, location_taken, auxiliary_lens_used, image_edited, publicity_consent, preferred_pronoun, submission_key%1$s)
     values ('A Looker', %3$s, 'S', 'T', '', 'p@example.org', 'intermediate', '', 'desc', '', 'yes', 'no', 'agree', 'she/her', '00000000-0000-4000-8000-0000000000c3'%2$s)$$),
  ('artist', $$insert into public.young_artist_entries (entrant_name, age, school, parent_guardian_name, parent_guardian_email, category, artwork_title, medium, artwork_description, inspiration, publicity_consent, submission_key%1$s)
     values ('A Painter', %3$s, 'S', 'T', 'p@example.org', 'junior', '', '', 'desc', '', null, '00000000-0000-4000-8000-0000000000c4'%2$s)$$);

select expect.caller('anon');

-- A statement is refused if it sets a column that visitors must not set, whatever the value.
select expect.refused(format(statement, ', ' || extra, ', null', 12), '42501')
  from entry, unnest(array['school_id', 'created_at', 'updated_at', 'id']) as extra;
select expect.refused(format(statement, ', junior_ranking', ', 1', 12), '42501') from entry where kind in ('photographer', 'artist');
select expect.refused(format(statement, ', senior_ranking', ', null', 12), '42501') from entry where kind in ('photographer', 'artist');
select expect.refused(format(statement, ', ranking_conflict', ', false', 12), '42501') from entry where kind in ('photographer', 'artist');

-- Ages.
select expect.refused(format(statement, '', '', 10), '23514') from entry where kind <> 'artist';
select expect.refused(format(statement, '', '', 4), '23514') from entry where kind = 'artist';
select expect.refused(format(statement, '', '', 19), '23514') from entry where kind in ('citizen', 'musician');
select expect.refused(format(statement, '', '', 18), '23514') from entry where kind in ('photographer', 'artist');

-- The insert succeeds once. A second attempt with the same submission key does not create a second entry.
select expect.affected(format(statement, '', '', 12), 1) from entry;
select expect.refused(format(statement, '', '', 12), '23505') from entry;
select expect.refused(format(statement || ' returning id', '', '', 12), '42501') from entry;

select expect.refused('select 1 from public.young_citizen_nominations', '42501');
select expect.refused('select submission_key from public.young_artist_entries', '42501');
select expect.refused('update public.young_citizen_nominations set nominee_name = ''x''', '42501');
select expect.refused('delete from public.young_musician_entries', '42501');
select expect.refused('truncate public.young_musician_entries', '42501');
select expect.refused('select public.award_counts()', '42501');

-- A path is refused if it leaves its folder or would hide a file.
select expect.refused(
    format($$insert into public.young_artist_entries (entrant_name, age, parent_guardian_email, category, uploaded_files)
             values ('X', 12, 'p@example.org', 'senior', array[%L])$$, path), '23514', 'uploaded_files_are_paths')
  from unnest(array['../a', 'a/../b', '/a', 'a//b', 'a/', '.', '', E'a\nb']) as path;

-- A signed-in user without a role has fewer rights than a visitor.
select expect.caller('stranger');
select expect.refused(format(statement, '', '', 12), '42501') from entry;
select expect.value('select count(*) from public.young_artist_entries', '0');
select expect.affected('update public.young_artist_entries set school = ''x''', 0);
select expect.refused('delete from public.young_artist_entries', '42501');
select expect.refused('insert into public.user_roles (user_id, role) values (auth.uid(), ''admin'')', '42501');
select expect.value('select public.has_role(auth.uid(), ''admin'')::text', 'false');

select expect.caller('admin');
select expect.value('select public.has_role(auth.uid(), ''admin'')::text', 'true');
select expect.value('select count(*) from public.young_citizen_nominations where nominee_name = ''A Nominee'' and school_id is null', '1');
select expect.affected('update public.young_artist_entries set school = ''x'' where entrant_name = ''A Painter''', 1);
