-- Tests that a merge moves everything that refers to the merged records. If the merge fails, nothing is changed.
select expect.caller('stranger');
select expect.refused('select public.merge_schools(gen_random_uuid(), array[gen_random_uuid()])', '42501');
select expect.refused('select public.assign_school(''artist'', gen_random_uuid())', '42501');

select expect.caller('admin');
create temporary table pick as
select (select id from public.schools where name like 'St Columba%') as st_columba,
       (select id from public.schools where name like 'Cardwell%') as cardwell,
       (select id from public.schools where name like 'Lyle%') as lyle,
       (select id from public.contacts where name = 'Fraser Guthrie') as fraser,
       (select id from public.contacts where name = 'Isla Macrae') as isla,
       (select id from public.judges where name = 'Peter Quigley') as peter;

select expect.refused('select public.merge_schools(st_columba, ''{}'') from pick', 'P0001');
select expect.refused('select public.merge_schools(st_columba, array[st_columba]) from pick', 'P0001');
select expect.refused('select public.merge_schools(st_columba, array[cardwell, gen_random_uuid()]) from pick', 'P0001');
select expect.value('select count(*) from public.schools', '8');

-- This merge fails at its last step, the deletion of the merged records. Nothing has been moved.
select expect.caller('owner');
create function pg_temp.stop() returns trigger language plpgsql as 'begin raise exception ''stopped''; end';
create trigger stop before delete on public.schools for each row execute function pg_temp.stop();
select expect.caller('admin');
select expect.refused('select public.merge_schools(st_columba, array[cardwell, lyle]) from pick', 'P0001');
select expect.value('select count(*) from public.young_artist_entries join pick on school_id = cardwell', '3');
select expect.value('select count from public.offline_submissions join pick on school_id = cardwell', '6');
select expect.caller('owner');
drop trigger stop on public.schools;
select expect.caller('admin');

insert into public.offline_submissions (school_id, category, count, notes) select st_columba, 'artist', 3, 'ours' from pick;
select expect.value('select public.merge_schools(st_columba, array[cardwell, lyle, lyle, null]) from pick', '2');
select expect.value('select count(*) from public.schools', '6');
select expect.value('select count(*) from public.young_artist_entries join pick on school_id = st_columba', '7');
select expect.value('select count(*) from public.young_citizen_nominations join pick on school_id = st_columba', '4');
select expect.value('select count(*) from public.departments join pick on school_id = st_columba', '7');
select expect.value('select count || '' '' || notes from public.offline_submissions join pick on school_id = st_columba where category = ''artist''', '9 ours');
select expect.value('select count from public.offline_submissions join pick on school_id = st_columba where category = ''citizen''', '2');

-- Tests the merge of departments. A contact that belonged to both departments has one link afterwards.
create temporary table both_departments as
select min(d.id::text)::uuid as keep, max(d.id::text)::uuid as other
  from public.departments as d join pick on d.school_id = pick.st_columba
 where d.name = 'Art and Design';
select public.save_contact(to_jsonb(c), array[keep, other], c.id, c.updated_at)
  from public.contacts as c join pick on c.id = fraser, both_departments;
select expect.value('select public.merge_departments(keep, array[other]) from both_departments', '1');
select expect.value('select count(*) from public.contact_departments join pick on contact_id = fraser', '1');
select expect.value('select (department_id = keep)::text from public.contacts join pick on id = fraser, both_departments', 'true');

-- Tests the merge of contacts. Interactions and links are moved.
select expect.value('select public.merge_contacts(fraser, array[isla]) from pick', '1');
select expect.value('select count(*) from public.interactions join pick on contact_id = fraser', '2');
select expect.value('select count(*) from public.contact_departments join pick on contact_id = fraser', '2');
select expect.value('select count(*) from public.contacts join pick on id = isla', '0');

select expect.refused('select public.assign_school(''dance'', st_columba) from pick', 'P0001');
select expect.refused('select public.assign_school(''artist'', gen_random_uuid())', 'P0001');
select expect.value('select public.assign_school(''artist'', st_columba) from pick', '2');
select expect.value('select public.assign_school(''artist'', st_columba) from pick', '0');
select expect.value('select public.match_schools()', '1');
select expect.value('select s.name from public.young_photographer_entries as e join public.schools as s on s.id = e.school_id where e.entrant_name = ''Blair Hendry''', 'St Columba''s High School');
