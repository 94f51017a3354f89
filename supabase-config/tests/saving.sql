-- Tests that a contact or judge is saved together with its links, or not at all, and that the change of another person is never overwritten.
select expect.caller('stranger');
select expect.refused('select public.save_contact(''{"name": "A", "status": "declined"}'', array[gen_random_uuid()])', '42501');
select expect.refused('select public.save_judge(''{"name": "A"}'', array[''music''])', '42501');

select expect.caller('admin');
create temporary table pick as
select (select id from public.contacts where name = 'Fraser Guthrie') as fraser,
       (select array_agg(id order by id) from (select id from public.departments order by id limit 2) as d) as two,
       (select id from public.judges where name = 'Peter Quigley') as peter;

select expect.refused('select public.save_contact(''{"name": "New", "status": "declined"}'', ''{}'')', 'P0001');
select expect.refused('select public.save_judge(''{"name": "New"}'', ''{}'')', 'P0001');

-- If the links are refused, the record is not saved either.
select expect.refused('select public.save_contact(''{"name": "New", "status": "declined"}'', two || gen_random_uuid()) from pick',
  '23503', 'contact_departments_department_id_fkey');
select expect.refused('select public.save_judge(''{"name": "New"}'', array[''music'', ''dance''])', '23514', 'judge_category_is_known');
select expect.value('select (select count(*) from public.contacts where name = ''New'') + (select count(*) from public.judges where name = ''New'')', '0');
select expect.refused('select public.save_judge(''{"name": "Changed"}'', array[''music'', ''dance''], peter, updated_at) from pick join public.judges on id = peter',
  '23514', 'judge_category_is_known');
select expect.value('select name from public.judges join pick on id = peter', 'Peter Quigley');
select expect.value('select string_agg(category, '','' order by category) from public.judge_categories join pick on judge_id = peter', 'music,singing');

-- A new record. The first department becomes the main one.
select expect.value('select public.save_contact(''{"name": "New", "status": "declined", "email": null}'', array[two[2], two[1], two[2]]) from pick', 'true');
select expect.value('select (department_id = two[2])::text from public.contacts, pick where name = ''New''', 'true');
select expect.value('select count(*) from public.contact_departments as l join public.contacts as c on c.id = l.contact_id where c.name = ''New''', '2');

-- A person who has read the newest version changes the record and its links.
select expect.value('select public.save_judge(''{"name": "Peter Q"}'', array[''artist'', ''music'', ''artist''], peter, updated_at) from pick join public.judges on id = peter', 'true');
select expect.value('select name from public.judges join pick on id = peter', 'Peter Q');
select expect.value('select string_agg(category, '','' order by category) from public.judge_categories join pick on judge_id = peter', 'artist,music');
select expect.value('select public.save_judge(''{"name": "Lost"}'', array[''singing''], peter, updated_at - interval ''1 second'') from pick join public.judges on id = peter', 'false');
select expect.value('select public.save_contact(''{"name": "Lost", "status": "declined"}'', two, fraser, now() - interval ''1 day'') from pick', 'false');
select expect.value('select string_agg(category, '','' order by category) from public.judge_categories join pick on judge_id = peter', 'artist,music');

-- A deleted record is restored with all its values.
create temporary table gone as select j.* from public.judges as j join pick on j.id = peter;
delete from public.judges using pick where id = peter;
select expect.value('select public.save_judge(''{"name": "Lost"}'', array[''singing''], peter, now()) from pick', 'false');
select expect.value('select public.save_judge(to_jsonb(gone), array[''music'']) from gone', 'true');
select expect.value('select (j.created_at = gone.created_at)::text from public.judges as j join gone using (id)', 'true');
