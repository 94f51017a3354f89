-- Tests that give_school assigns a school only to given entries that have no school and are not withdrawn.
create temporary table pick as
select (select id from public.schools where name like 'St Columba%') as st_columba,
       (select id from public.schools where name like 'Cardwell%') as cardwell;
grant select on pick to public;
insert into public.young_artist_entries (entrant_name, age, parent_guardian_email, category, school_id, withdrawn_at, submission_key) values
  ('Named', 12, 'p@example.org', 'senior', null, null, '00000000-0000-4000-8000-0000000002c1'),
  ('Not named', 12, 'p@example.org', 'senior', null, null, '00000000-0000-4000-8000-0000000002c2'),
  ('Withdrawn', 12, 'p@example.org', 'senior', null, now(), '00000000-0000-4000-8000-0000000002c3'),
  ('Of a school', 12, 'p@example.org', 'senior', (select cardwell from pick), null, '00000000-0000-4000-8000-0000000002c4');
create temporary table named as
select array_agg(id) as entries from public.young_artist_entries where entrant_name in ('Named', 'Withdrawn', 'Of a school');
grant select on named to public;
create function pg_temp.school_of(entrant text) returns text
language sql as $$
  select s.name from public.young_artist_entries as e left join public.schools as s on s.id = e.school_id where e.entrant_name = entrant
$$;
grant execute on function pg_temp.school_of(text) to public;

select expect.caller('anon');
select expect.refused('select public.give_school(''artist'', st_columba, entries) from pick, named', '42501');
select expect.caller('stranger');
select expect.refused('select public.give_school(''artist'', st_columba, entries) from pick, named', '42501');

select expect.caller('admin');
select expect.refused('select public.give_school(''dance'', st_columba, entries) from pick, named', 'P0001');
select expect.refused('select public.give_school(''artist'', gen_random_uuid(), entries) from named', 'P0001');
-- An earlier version of the function had no list of entries as argument. It no longer exists.
select expect.refused('select public.give_school(''artist'', st_columba) from pick', '42883');

select expect.value('select cardinality(public.give_school(''artist'', st_columba, entries)) from pick, named', '1');
select expect.value('select pg_temp.school_of(''Named'')', 'St Columba''s High School');
select expect.value('select coalesce(pg_temp.school_of(''Not named''), ''none'')', 'none');
select expect.value('select coalesce(pg_temp.school_of(''Withdrawn''), ''none'')', 'none');
select expect.value('select (pg_temp.school_of(''Of a school'') like ''Cardwell%'')::text', 'true');
select expect.value('select cardinality(public.give_school(''artist'', st_columba, entries)) from pick, named', '0');
select expect.value('select cardinality(public.give_school(''artist'', st_columba, ''{}'')) from pick', '0');

-- The assignment can be undone, but only for these entries.
select expect.value('select public.take_school_back(''artist'', st_columba, entries) from pick, named', '1');
select expect.value('select coalesce(pg_temp.school_of(''Named''), ''none'')', 'none');
