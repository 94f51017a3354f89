-- Tests that a judge can read the entries of two awards and give places to these entries, and cannot do anything else.
select expect.caller('judge');

select expect.refused('select parent_guardian_email from public.young_artist_entries', '42501');
select expect.refused('select * from public.young_photographer_entries', '42501');
select expect.refused('select nominee_name from public.young_citizen_nominations', '42501');
select expect.refused('select entrant_name from public.young_musician_entries', '42501');
select expect.refused('select phone from public.schools', '42501');
select expect.refused('update public.young_artist_entries set artwork_title = ''x''', '42501');
select expect.refused('update public.young_artist_entries set category = ''senior''', '42501');
select expect.refused('delete from public.young_artist_entries', '42501');
select expect.refused('select public.merge_schools(gen_random_uuid(), array[gen_random_uuid()])', '42501');
select expect.refused('select public.has_role(gen_random_uuid(), ''admin'')', '42501');

-- A place is 1, 2 or 3. It is stored in the column for the entry's category.
select expect.refused('update public.young_artist_entries set junior_ranking = 4 where entrant_name = ''Gilly Ferrier''', '23514', 'junior_ranking_1_to_3');
select expect.refused('update public.young_artist_entries set junior_ranking = 0 where entrant_name = ''Gilly Ferrier''', '23514', 'junior_ranking_1_to_3');
select expect.refused('update public.young_artist_entries set senior_ranking = 1 where entrant_name = ''Gilly Ferrier''', '23514', 'senior_ranking_is_for_senior');
select expect.refused('update public.young_photographer_entries set junior_ranking = 1 where entrant_name = ''Freya Lamont''', '23514', 'junior_ranking_is_for_intermediate');
select expect.affected('update public.young_artist_entries set junior_ranking = 1 where entrant_name = ''Poppy McIver''', 0);
select expect.affected('update public.young_artist_entries set junior_ranking = 2 where entrant_name = ''Gilly Ferrier''', 1);
select expect.affected('update public.young_artist_entries set junior_ranking = null where entrant_name = ''Gilly Ferrier''', 1);
select expect.affected('update public.young_photographer_entries set senior_ranking = 3, ranking_conflict = true where entrant_name = ''Freya Lamont''', 1);

-- Judges cannot see entries of the category Junior.
select expect.value('select count(*) from public.young_artist_entries where category = ''junior''', '0');
select expect.value('select count(*) from public.young_artist_entries', '11');
select expect.value('select string_agg(name, '','' order by name) from public.schools where name like ''K%'' or name like ''W%''', null);

-- Judges can read the stored files of judged entries. A path in an entry alone does not give access to a file.
select expect.value('select string_agg(name, '','') from storage.objects', 'artist/gilly-ferrier/1760000000000-tide-pools.jpg');
select expect.refused('insert into storage.objects (bucket_id, name) values (''youth-awards-submissions'', ''artist/x/1760000000000-a.jpg'')', '42501');
select expect.refused('delete from storage.objects', '42501');
select expect.caller('owner');
update public.young_artist_entries
   set uploaded_files = uploaded_files || array['young-citizen/eilidh-baird/1760000000000-letter.pdf']
 where entrant_name = 'Gilly Ferrier';
select expect.caller('judge');
select expect.value('select count(*) from storage.objects', '1');

-- The totals of all four awards.
select expect.value('select string_agg(award || '' '' || category || '' '' || entries, '', '') from public.award_counts()',
  'artist intermediate 5, artist senior 6, photographer intermediate 4, photographer senior 5');

-- When the judging password is changed, tokens that were issued for the old password become invalid.
select expect.caller('old judge');
select expect.value('select count(*) from public.young_artist_entries', '0');
select expect.affected('update public.young_photographer_entries set senior_ranking = 1 where entrant_name = ''Freya Lamont''', 0);
select expect.value('select count(*) from storage.objects', '0');
select expect.refused('select * from public.award_counts()', '42501');

-- Every table refuses such a token, including tables that later migrations create.
select expect.caller('owner');
select expect.value($$
  select string_agg(c.relname, ', ' order by c.relname) from pg_class as c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
     and not exists (select from pg_policy as p
                      where p.polrelid = c.oid and not p.polpermissive and p.polcmd = '*'
                        and 'judge'::regrole = any (p.polroles)
                        and pg_get_expr(p.polqual, p.polrelid) like '%judge_is_current%')
$$, null);
