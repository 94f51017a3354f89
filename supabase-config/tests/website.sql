-- Tests the content of the website. Admins can edit and publish it, and visitors can see only published content.
create temporary table part (name text);
grant select on part to public;
insert into part values ('site_texts'), ('site_events'), ('site_speakers'), ('site_winners'), ('site_partners'), ('site_chapters'), ('site_figures'), ('site_corporate'), ('site_publications');
create temporary table call (statement text);
grant select on call to public;
insert into call values ('select public.draft_content()'), ('select * from public.site_status()'), ('select public.publish_site()');

select expect.caller('anon');
select expect.refused('select 1 from public.' || name, '42501') from part;
select expect.refused('delete from public.' || name, '42501') from part;
select expect.refused('insert into public.site_partners (name, text) values (''a'', ''b'')', '42501');
select expect.refused(statement, '42501') from call;
select expect.caller('judge');
select expect.refused('select 1 from public.' || name, '42501') from part;
select expect.refused(statement, '42501') from call;
select expect.caller('stranger');
select expect.value('select count(*) from public.' || name, '0') from part;
select expect.refused('insert into public.site_partners (name, text) values (''a'', ''b'')', '42501');
select expect.affected('update public.site_events set title = ''x''', 0);
select expect.refused(statement, '42501') from call;
select expect.refused('insert into public.site_publications (content) values (''{}'')', '42501');
-- The published content can be written only by publish_site. The names of the texts cannot be changed.
select expect.caller('admin');
select expect.refused('insert into public.site_publications (content) values (''{}'')', '42501');
select expect.refused('update public.site_publications set content = ''{}''', '42501');
select expect.refused('delete from public.site_texts', '42501');
select expect.refused('insert into public.site_texts (name, label, value, position) values (''a'', ''b'', ''c'', 1)', '42501');
select expect.refused('update public.site_texts set name = ''x'' where name = ''theme''', '42501');
select expect.refused('update public.site_texts set value = '' '' where name = ''theme''', '23514', 'site_text_1_to_1000_characters');
select expect.refused('update public.site_events set slug = ''A b''', '23514', 'event_slug_is_plain');

-- The initial content of the website.
select expect.caller('anon');
select expect.value('select jsonb_array_length(public.published_content() -> ''events'')', '4');
select expect.value('select public.published_content() #>> ''{texts,deadline}''', '31st October');
select expect.value('select string_agg(e ->> ''slug'', '' '') from jsonb_array_elements(public.published_content() -> ''home'') as e', 'youth-awards weekly-guest-speakers anniversary-cruise');
select expect.value('select public.published_content() #>> ''{speakers,0,month}'' || '': '' || (public.published_content() #>> ''{speakers,0,rows,1,shortDate}'')', 'August 2025: 21 Aug');
select expect.value('select sum(jsonb_array_length(m -> ''rows'')) from jsonb_array_elements(public.published_content() -> ''speakers'') as m', '21');
select expect.value('select jsonb_array_length(public.published_content() #> ''{winners,citizen}'')', '3');

select expect.value('select public.published_content() #>> ''{chapters,0,years}''', '1925');
select expect.value('select public.published_content() #>> ''{figures,history,1,figure}''', '£7,500');
select expect.value('select public.published_content() #>> ''{corporate,projects,2,pictures}''', '{"dinner": true}');
select expect.value('select public.published_content() #>> ''{corporate,steps,2,text}''', 'Choose who comes, and start on any Thursday.');
-- The initial content is that of the first day of its season. Its events have a last day.
select expect.caller('admin');
select expect.value('select count(*) from public.site_events where last_day is not null', '3');
select expect.refused('insert into public.site_corporate (part, text) values (''benefit'', ''x'')', '23514', 'corporate_name_is_given_except_for_steps');
select expect.refused('insert into public.site_figures (page, figure, text) values (''home'', ''1'', ''x'')', '23514', 'figure_page_is_known');
select expect.refused('update public.site_chapters set text = '' ''', '23514', 'chapter_text_1_to_1000_characters');

-- If a speaker is published, no event changes on any page, neither in the preview nor for visitors.
select expect.caller('admin');
select expect.affected('update public.site_speakers set speaker = ''The tides'' where held_on = ''2025-08-28''', 1);
create temporary table shown as select c -> 'events' as events, c -> 'home' as home, c -> 'featured' as featured from public.published_content() as c;
grant select on shown to public;
select expect.value('select count(*) from shown, public.draft_content() as c where events = c -> ''events'' and home = c -> ''home'' and featured = c -> ''featured''', '1');
select public.publish_site();
select expect.caller('anon');
select expect.value('select count(*) from shown, public.published_content() as c where events = c -> ''events'' and home = c -> ''home'' and featured = c -> ''featured''', '1');
select expect.value('select public.published_content() #>> ''{speakers,0,rows,2,speaker}''', 'The tides');

-- Admins see a change at once. Visitors see it when it has been published.
select expect.caller('admin');
select expect.value('select has_changes from public.site_status()', 'false');
-- A date of the season can be changed only in the season's record.
select expect.affected('update public.site_texts set value = ''1st November'' where name = ''deadline''', 0);
select expect.affected('update public.site_texts set value = ''Rain'' where name = ''theme''', 1);
select expect.affected('update public.site_events set last_day = null where slug = ''youth-awards''', 1);
select expect.affected('update public.site_events set last_day = club.today() where slug = ''chartered-dinner''', 1);
select expect.affected('update public.site_events set last_day = club.today() - 1 where slug = ''anniversary-cruise''', 1);
select expect.value('select has_changes from public.site_status()', 'true');
select expect.value('select public.draft_content() #>> ''{texts,theme}''', 'Rain');
select expect.caller('anon');
select expect.value('select public.published_content() #>> ''{texts,theme}''', 'Happiness in Nature');
select expect.caller('admin');
select public.publish_site();
select expect.value('select concat_ws('' '', has_changes, published_by) from public.site_status()', 'f admin@example.org');
select expect.caller('anon');
select expect.value('select public.published_content() #>> ''{texts,theme}''', 'Rain');
-- On the last day of an event, its page is the same as on earlier days. From the next day on, the event is at the end of the list and marked as
-- past, and visitors are not asked for a reply.
select expect.value('select string_agg(concat_ws('':'', e ->> ''slug'', e ->> ''isPast''), '' '') from jsonb_array_elements(public.published_content() -> ''events'') as e', 'youth-awards:false weekly-guest-speakers:false chartered-dinner:false anniversary-cruise:true');
select expect.value('select e ->> ''rsvpSubject'' is null from jsonb_array_elements(public.published_content() -> ''events'') as e where e ->> ''slug'' = ''anniversary-cruise''', 'true');
select expect.value('select string_agg(e ->> ''slug'', '' '') from jsonb_array_elements(public.published_content() -> ''home'') as e', 'youth-awards weekly-guest-speakers');
-- A picture has a path in the bucket and an alternative text. Visitors can read it while its event is published.
select expect.caller('admin');
select expect.refused('update public.site_events set picture = ''events/1760000000000-draft.jpg'' where slug = ''youth-awards''', '23514', 'event_picture_has_words');
select expect.refused('update public.site_events set picture = ''artist/a/1760000000000-a.jpg'', picture_alt = ''A'' where slug = ''youth-awards''', '23514', 'event_picture_is_a_path');
select expect.affected('update public.site_events set picture = ''events/1760000000000-draft.jpg'', picture_alt = ''A cup'' where slug = ''youth-awards''', 1);
select expect.value('select public.draft_content() #>> ''{featured,0,pictureAlt}''', 'A cup');
select expect.caller('anon');
select expect.value('select public.published_content() #>> ''{featured,0,picture}''', null);
select expect.value('select count(*) from storage.objects where bucket_id = ''site-pictures''', '0');
select expect.refused('select * from public.unused_pictures()', '42501');
select expect.caller('stranger');
select expect.value('select count(*) from storage.objects where bucket_id = ''site-pictures''', '0');
select expect.refused('select * from public.unused_pictures()', '42501');
select expect.caller('admin');
select public.publish_site();
select expect.caller('anon');
select expect.value('select public.published_content() #>> ''{featured,0,picture}''', 'events/1760000000000-draft.jpg');
select expect.value('select count(*) from storage.objects where bucket_id = ''site-pictures''', '0');
select set_config('storage.operation', 'storage.object.sign', true);
select expect.value('select count(*) from storage.objects where bucket_id = ''site-pictures''', '0');
select set_config('storage.operation', 'storage.object.get_authenticated', true);
select expect.value('select string_agg(name, '' '') from storage.objects where bucket_id = ''site-pictures''', 'events/1760000000000-draft.jpg');
select expect.affected('update storage.objects set name = ''events/1760000000000-b.jpg'' where bucket_id = ''site-pictures''', 0);
select expect.refused('insert into storage.objects (bucket_id, name) values (''site-pictures'', ''events/1760000000000-c.jpg'')', '42501');
select expect.caller('stranger');
select expect.value('select string_agg(name, '' '') from storage.objects where bucket_id = ''site-pictures''', 'events/1760000000000-draft.jpg');
select expect.caller('judge');
select expect.value('select count(*) from storage.objects where bucket_id = ''site-pictures''', '0');
-- Files that the website or its tables use are kept. Unused files may be removed after a day.
select expect.caller('owner');
update storage.objects set created_at = now() - interval '2 days' where bucket_id = 'site-pictures';
insert into storage.objects (bucket_id, name) values ('site-pictures', 'events/1760000000001-new.jpg');
select expect.caller('admin');
select expect.value('select count(*) from public.unused_pictures()', '0');
update public.site_events set picture = null where slug = 'youth-awards';
select expect.value('select count(*) from public.unused_pictures()', '0');
select public.publish_site();
select expect.value('select string_agg(name, '' '') from public.unused_pictures()', 'events/1760000000000-draft.jpg');
select expect.caller('anon');
select expect.value('select count(*) from storage.objects where bucket_id = ''site-pictures''', '0');
-- Only the last twenty publications are kept.
select expect.caller('admin');
select public.publish_site() from generate_series(1, 25);
select expect.value('select count(*) from public.site_publications', '20');
-- The pages can be shown even if lists are empty.
delete from public.site_speakers;
delete from public.site_winners;
delete from public.site_partners;
delete from public.site_events;
delete from public.site_chapters;
delete from public.site_figures;
delete from public.site_corporate;
select public.publish_site();
select expect.value('select (public.published_content() -> ''winners'' ->> ''artist'') || (public.published_content() ->> ''speakers'') || (public.published_content() ->> ''featured'') || (public.published_content() ->> ''chapters'') || (public.published_content() #>> ''{corporate,steps}'')', '[][][][][]');
-- For the latest three seasons, the page shows until when the data of the season is stored. The same rule is used in the back-office.
select expect.caller('owner');
delete from public.seasons;
insert into public.seasons (name, event_on) values ('2023', '2023-11-09'), ('2024', '2024-11-14'), ('2025', '2025-11-13'), ('2026', '2026-11-12');
select expect.caller('anon');
select expect.value('select string_agg(concat_ws('' '', r ->> ''season'', r ->> ''event'', r ->> ''due'', r ->> ''deleted''), '', '') from jsonb_array_elements(public.published_content() -> ''retention'') as r',
  '2026 12 November 2026 12 February 2027, 2025 13 November 2025 13 February 2026, 2024 14 November 2024 14 February 2025');
select expect.refused('select 1 from public.seasons', '42501');
