-- A season for demonstration: schools, entries, contacts, judges, checklist and guests. All persons are fictitious, all addresses end in
-- example.org, and no account is created. Dates are relative to the day on which the seed runs. The files of the entries are in demo/objects. The
-- server uploads them after the seed. In production, the seed is disabled: [db.seed] enabled = false.

insert into public.schools (name, location, phone, email, notes) values
  ('St Columba''s High School', 'Gourock', '01475 000101', 'office@st-columbas.example.org', 'Enters all four awards. Ring before noon.'),
  ('Lyle Hill Academy', 'Greenock', '01475 000102', 'office@lyle-hill.example.org', null),
  ('Cardwell Bay High School', 'Gourock', '01475 000103', 'enquiries@cardwell-bay.example.org', 'Art department very keen.'),
  ('Kempock Primary School', 'Gourock', '01475 000104', 'office@kempock.example.org', 'Junior artists only.'),
  ('Inverkip Road Academy', 'Inverkip', '01475 000105', 'admin@inverkip-road.example.org', null),
  ('Wemyss Bay College', 'Wemyss Bay', '01475 000106', null, 'New contact needed for music.'),
  ('Holy Loch Grammar', 'Dunoon', '01369 000107', 'office@holy-loch.example.org', 'Comes over by ferry: check the last sailing.'),
  ('Firth Youth Orchestra', 'Greenock', null, 'info@firth-orchestra.example.org', 'Not a school, but enters as one.');

insert into public.departments (school_id, name, notes)
select s.id, d.name, d.notes
  from (values
    ('St Columba''s High School', 'Art and Design', null),
    ('St Columba''s High School', 'Music', 'Rehearsals on Tuesdays'),
    ('St Columba''s High School', 'Pupil Support', null),
    ('Lyle Hill Academy', 'Expressive Arts', null),
    ('Lyle Hill Academy', 'Senior Leadership', null),
    ('Cardwell Bay High School', 'Art and Design', 'Theme taught in first term'),
    ('Cardwell Bay High School', 'Music', null),
    ('Kempock Primary School', 'School Office', null),
    ('Inverkip Road Academy', 'Photography Club', 'After school, Thursdays'),
    ('Inverkip Road Academy', 'Music', null),
    ('Wemyss Bay College', 'Student Services', null),
    ('Holy Loch Grammar', 'Art and Design', null),
    ('Firth Youth Orchestra', 'Administration', null)
  ) as d (school, name, notes)
  join public.schools as s on s.name = d.school;

with people (school, department, name, position, status, notes) as (
  values
    ('St Columba''s High School', 'Art and Design', 'Morven Abernethy', 'Principal Teacher of Art', 'confirmed_participation', 'Twelve entries promised.'),
    ('St Columba''s High School', 'Music', 'Callum Drysdale', 'Teacher of Music', 'confirmed_participation', null),
    ('St Columba''s High School', 'Pupil Support', 'Shona Petrie', 'Depute Head', 'follow_up_sent', 'Asked for two more citizen forms.'),
    ('Lyle Hill Academy', 'Expressive Arts', 'Gregor Lindsay', 'Faculty Head', 'ready_for_collection', 'Folders at reception.'),
    ('Lyle Hill Academy', 'Senior Leadership', 'Ailsa Rennie', 'Head Teacher', 'initial_contact', null),
    ('Cardwell Bay High School', 'Art and Design', 'Fraser Guthrie', 'Teacher of Art', 'ready_for_collection', null),
    ('Cardwell Bay High School', 'Music', 'Isla Macrae', 'Instrumental Instructor', 'no_response', 'Two mails, no answer.'),
    ('Kempock Primary School', 'School Office', 'Rhona Bell', 'Clerical Assistant', 'confirmed_participation', null),
    ('Inverkip Road Academy', 'Photography Club', 'Struan Kerr', 'Club leader', 'initial_contact', null),
    ('Inverkip Road Academy', 'Music', 'Elspeth Yuill', 'Principal Teacher of Music', 'declined', 'School show that week.'),
    ('Wemyss Bay College', 'Student Services', 'Niall Forsyth', 'Adviser', 'not_contacted', null),
    ('Holy Loch Grammar', 'Art and Design', 'Catriona Weir', 'Teacher of Art', 'follow_up_sent', null),
    ('Firth Youth Orchestra', 'Administration', 'Hamish Orr', 'Manager', 'confirmed_participation', null)
), added as (
  insert into public.contacts (department_id, name, email, phone, position, status, notes)
  select d.id, p.name, lower(replace(p.name, ' ', '.')) || '@example.org', '01475 000' || 200 + row_number() over (order by p.name),
         p.position, p.status, p.notes
    from people as p
    join public.schools as s on s.name = p.school
    join public.departments as d on d.school_id = s.id and d.name = p.department
  returning id, department_id, name, status
), linked as (
  insert into public.contact_departments (contact_id, department_id)
  select id, department_id from added
)
insert into public.interactions (contact_id, kind, notes, happened_at)
select id, 'email', 'Sent the information pack and the dates.', now() - interval '40 days'
  from added
 where status <> 'not_contacted';

-- The art teacher of Cardwell Bay also belongs to the photographers of Inverkip Road.
insert into public.contact_departments (contact_id, department_id)
select c.id, d.id
  from public.contacts as c, public.departments as d
 where c.name = 'Fraser Guthrie' and d.name = 'Photography Club';

insert into public.young_citizen_nominations (
  nomination_type, nominee_name, nominee_age, parent_guardian_email, parent_guardian_phone,
  nominator_name, nominator_email, nominator_relationship, key_achievement, community_impact,
  why_deserving, school_id, created_at)
select c.nomination_type, c.nominee, c.age, 'family.' || lower(split_part(c.nominee, ' ', 2)) || '@example.org', '01475 000300',
       c.nominator, lower(replace(c.nominator, ' ', '.')) || '@example.org', c.relationship, c.achievement, c.impact,
       c.why, s.id, now() - c.ago
  from (values
    ('individual', 'Eilidh Baird', 14, 'Shona Petrie', 'Depute head', 'Runs the lunchtime club where new pupils meet older ones.', 'Forty pupils a week have somebody to sit with.', 'She began it alone in her first year and has not missed a day.', 'St Columba''s High School', interval '31 days'),
    ('individual', 'Rory Calder', 17, 'Jean Calder', 'Neighbour', 'Learned to repair mobility scooters and mends them for the street.', 'Nine people can get to the shops again.', 'He asks for nothing, not even the parts.', 'Lyle Hill Academy', interval '27 days'),
    ('group', 'Beach Crew of Cardwell Bay', 13, 'Fraser Guthrie', 'Teacher', 'Cleared the shore every month of the winter.', 'Two tonnes of litter weighed and recorded.', 'They kept going when it was dark by four.', 'Cardwell Bay High School', interval '22 days'),
    ('individual', 'Zara Hussain', 16, 'Ailsa Rennie', 'Head teacher', 'Teaches English to families who are new in town.', 'Six families talk to the school themselves now.', 'She noticed what none of us had.', 'Lyle Hill Academy', interval '16 days'),
    ('individual', 'Finlay Moir', 11, 'Rhona Bell', 'School office', 'Raised money for the lifeboat by swimming a mile.', 'Six hundred pounds, and a swimming club for beginners.', 'He could not swim two years ago.', 'Kempock Primary School', interval '12 days'),
    ('group', 'Ferry Buddies', 15, 'Catriona Weir', 'Teacher', 'Travel with younger pupils on the ferry.', 'Parents in Dunoon let their children come across.', 'Dependable in every weather.', 'Holy Loch Grammar', interval '8 days'),
    ('individual', 'Aidan Scobie', 18, 'Moira Scobie', 'Grandmother', 'Looks after his grandfather and still coaches football.', 'The under-tens have a team again.', 'He would be embarrassed to be nominated.', null, interval '3 days')
  ) as c (nomination_type, nominee, age, nominator, relationship, achievement, impact, why, school, ago)
  left join public.schools as s on s.name = c.school;

insert into public.young_musician_entries (
  entrant_name, age, email, phone, school, school_id, category, instrument,
  teacher_name, teacher_email, parent_guardian_email, parent_guardian_phone,
  piece_title, music_selections, accompanist_required, accompanist_name,
  special_requirements, publicity_consent, signature, created_at)
select m.entrant, m.age, 'family.' || lower(split_part(m.entrant, ' ', 2)) || '@example.org', '01475 000400',
       m.school, s.id, m.category, m.instrument,
       m.teacher, lower(replace(m.teacher, ' ', '.')) || '@example.org',
       'family.' || lower(split_part(m.entrant, ' ', 2)) || '@example.org', '01475 000400',
       array_to_string(m.selections, '; '), m.selections, m.accompanist is not null, m.accompanist,
       m.needs, m.consent, m.entrant, now() - m.ago
  from (values
    ('Skye Buchanan', 15, 'St Columba''s High School', 'instrumental', 'Fiddle', 'Callum Drysdale', array['Air in D, traditional', 'Reel for a Wet Thursday, own arrangement'], 'Callum Drysdale', 'Allergies: nuts', 'agree', interval '30 days'),
    ('Lewis Tennant', 17, 'St Columba''s High School', 'instrumental', 'Piano', 'Callum Drysdale', array['Nocturne in E flat, Chopin'], null, null, 'agree', interval '29 days'),
    ('Mirren Dalgleish', 13, 'Cardwell Bay High School', 'vocal', 'Soprano', 'Isla Macrae', array['Ae Fond Kiss, Burns', 'The Lark, own song'], 'Isla Macrae', null, 'disagree', interval '25 days'),
    ('Ross Jardine', 16, 'Inverkip Road Academy', 'instrumental', 'Trumpet', 'Elspeth Yuill', array['Trumpet Concerto, first movement, Haydn'], 'Elspeth Yuill', null, 'agree', interval '21 days'),
    ('Amelia Nowak', 14, 'Lyle Hill Academy', 'instrumental', 'Flute', 'Gregor Lindsay', array['Syrinx, Debussy'], null, 'Accessibility: step-free stage please', 'agree', interval '18 days'),
    ('Keir Munro', 18, 'Firth Youth Orchestra', 'instrumental', 'Cello', 'Hamish Orr', array['Suite No. 1, Prelude, Bach', 'The Swan, Saint-Saëns'], 'Hamish Orr', null, 'agree', interval '15 days'),
    ('Orla Devlin', 12, 'St Columba''s High School', 'vocal', 'Alto', 'Callum Drysdale', array['Loch Lomond, traditional'], null, null, 'agree', interval '10 days'),
    ('Tavish Begg', 15, 'Holy Loch Grammar', 'instrumental', 'Bagpipes', 'Catriona Weir', array['March, Strathspey and Reel'], null, 'Will need to tune outside', null, interval '6 days'),
    ('Precious Adeyemi', 17, 'lyle hill academy', 'vocal', 'Mezzo', 'Gregor Lindsay', array['Summertime, Gershwin', 'Caledonia, MacLean', 'I Dreamed a Dream, Schönberg'], 'Gregor Lindsay', null, 'agree', interval '2 days')
  ) as m (entrant, age, school, category, instrument, teacher, selections, accompanist, needs, consent, ago)
  left join public.schools as s on s.name = m.school;

insert into public.young_photographer_entries (
  entrant_name, age, preferred_pronoun, email, phone, school, school_id,
  teacher_name, teacher_email, parent_guardian_email, parent_guardian_phone,
  category, photo_description, camera_equipment, auxiliary_lens_used, image_edited,
  publicity_consent, created_at)
select p.entrant, p.age, p.pronoun, 'family.' || lower(split_part(p.entrant, ' ', 2)) || '@example.org', '01475 000500',
       p.school, s.id, p.nominator, lower(replace(p.nominator, ' ', '.')) || '@example.org',
       'family.' || lower(split_part(p.entrant, ' ', 2)) || '@example.org', '01475 000500',
       p.category, p.description, p.camera, p.lens, p.edited, p.consent, now() - p.ago
  from (values
    ('Niamh Sinclair', 12, 'she/her', 'Inverkip Road Academy', 'Struan Kerr', 'intermediate', 'The last ferry with all its lights on, from the pier.', 'Borrowed Fujifilm X-T20', 'no', 'yes', 'agree', interval '28 days'),
    ('Angus Tulloch', 13, 'he/him', 'Inverkip Road Academy', 'Struan Kerr', 'intermediate', 'My granny laughing at the wind on the esplanade.', 'Phone', 'no', 'no', 'agree', interval '26 days'),
    ('Ivy Carmichael', 11, 'she/her', 'St Columba''s High School', 'Morven Abernethy', 'intermediate', 'A crab that did not want to be photographed.', 'Phone with macro clip', 'yes', 'no', 'agree', interval '20 days'),
    ('Leon Okafor', 13, 'he/him', 'Cardwell Bay High School', 'Fraser Guthrie', 'intermediate', 'Rain coming over Argyll, four seconds before it reached us.', 'Canon EOS 2000D', 'no', 'yes', 'disagree', interval '14 days'),
    ('Freya Lamont', 16, 'she/her', 'St Columba''s High School', 'Morven Abernethy', 'senior', 'The lighthouse from the water, taken from a kayak.', 'Waterproof compact', 'no', 'yes', 'agree', interval '27 days'),
    ('Jude Pollock', 15, 'they/them', 'Lyle Hill Academy', 'Gregor Lindsay', 'senior', 'Shipyard crane and one gull, printed in black and white.', 'Nikon D3500', 'yes', 'yes', 'agree', interval '19 days'),
    ('Cameron Sharp', 17, 'he/him', 'Cardwell Bay High School', 'Fraser Guthrie', 'senior', 'Night swimmers with torches at the outdoor pool.', 'Sony A6000', 'no', 'yes', 'agree', interval '11 days'),
    ('Hana Petrov', 14, 'she/her', 'Private entry', 'Elena Petrov', 'senior', 'Frost on a bus window that looks like ferns.', 'Phone', 'no', 'no', 'agree', interval '5 days'),
    ('Blair Hendry', 15, 'he/him', 'St Columbas High School', 'Morven Abernethy', 'senior', 'The queue for chips, seen from inside the shop.', 'Film camera of my uncle', 'no', 'no', 'agree', interval '1 day')
  ) as p (entrant, age, pronoun, school, nominator, category, description, camera, lens, edited, consent, ago)
  left join public.schools as s on s.name = p.school;

insert into public.young_artist_entries (
  entrant_name, age, preferred_pronoun, email, school, school_id,
  parent_guardian_name, parent_guardian_email, category, medium, artwork_description,
  publicity_consent, created_at)
select a.entrant, a.age, a.pronoun, 'family.' || lower(split_part(a.entrant, ' ', 2)) || '@example.org',
       a.school, s.id, 'Parent of ' || split_part(a.entrant, ' ', 1),
       'family.' || lower(split_part(a.entrant, ' ', 2)) || '@example.org',
       a.category, a.medium, a.description, a.consent, now() - a.ago
  from (values
    ('Poppy McIver', 7, 'she/her', 'Kempock Primary School', 'junior', 'Wax crayon', 'Me and my dog being happy in the biggest puddle.', 'agree', interval '30 days'),
    ('Theo Rankin', 8, 'he/him', 'Kempock Primary School', 'junior', 'Paint and sand', 'A whale under the ferry that nobody has seen but me.', 'agree', interval '29 days'),
    ('Anya Kowalska', 9, 'she/her', 'Kempock Primary School', 'junior', 'Collage', 'Every leaf is from my street, so the whole street is happy.', 'agree', interval '24 days'),
    ('Gilly Ferrier', 12, 'she/her', 'St Columba''s High School', 'intermediate', 'Watercolour', 'The tide pools in the hour when the light goes green.', 'agree', interval '28 days'),
    ('Duncan Esslemont', 11, 'he/him', 'Cardwell Bay High School', 'intermediate', 'Pencil', 'One seal, very pleased with its rock.', 'agree', interval '23 days'),
    ('Maisie Thorburn', 13, 'she/her', 'Cardwell Bay High School', 'intermediate', 'Lino print', 'Gorse on the hill above the school, in three yellows.', 'disagree', interval '17 days'),
    ('Yusuf Rahman', 12, 'he/him', 'Lyle Hill Academy', 'intermediate', 'Gouache', 'Picnic in the rain: we stayed, and it was the best day.', 'agree', interval '13 days'),
    ('Seonaid Gray', 13, 'they/them', 'Holy Loch Grammar', 'intermediate', 'Felt', 'The loch as a blanket, because that is how it feels.', 'agree', interval '9 days'),
    ('Catherine Imrie', 16, 'she/her', 'St Columba''s High School', 'senior', 'Oil on board', 'Grandfather in his allotment, talking to the leeks.', 'agree', interval '26 days'),
    ('Dexter Vance', 15, 'he/him', 'Lyle Hill Academy', 'senior', 'Charcoal', 'Starlings over the sugar sheds.', 'agree', interval '20 days'),
    ('Ruaridh Nairn', 17, 'he/him', 'Cardwell Bay High School', 'senior', 'Acrylic', 'The bay as seen by somebody floating on their back.', 'agree', interval '16 days'),
    ('Esme Whitelaw', 14, 'she/her', 'Holy Loch Grammar', 'senior', 'Ink and tea', 'A map of every place where I have laughed outdoors.', 'agree', interval '7 days'),
    ('Innes Loudon', 16, 'they/them', 'Private entry', 'senior', 'Digital', 'Moss, at the size it deserves.', null, interval '4 days'),
    ('Bonnie Strachan', 15, 'she/her', 'St. Columba''s High School', 'senior', 'Pastel', 'First warm evening of the year on the pier wall.', 'agree', interval '2 days')
  ) as a (entrant, age, pronoun, school, category, medium, description, consent, ago)
  left join public.schools as s on s.name = a.school;

-- Files of the entrants. The names in demo/objects are created in the same way.
update public.young_artist_entries
   set uploaded_files = array[format('artist/%1$s/1767225600000-%1$s.jpg', lower(replace(entrant_name, ' ', '-')))];
update public.young_photographer_entries
   set uploaded_files = array[format('photographer/%1$s/1767225600000-%1$s.jpg', lower(replace(entrant_name, ' ', '-')))];
update public.young_musician_entries
   set uploaded_files = array[format('musician/%1$s/1767225600000-%1$s.wav', lower(replace(entrant_name, ' ', '-')))]
 where entrant_name in ('Skye Buchanan', 'Keir Munro', 'Tavish Begg');
update public.young_citizen_nominations
   set uploaded_files = array[format('young-citizen/%1$s/1767225600000-%1$s.pdf', lower(replace(nominee_name, ' ', '-')))]
 where nominee_name in ('Eilidh Baird', 'Finlay Moir');

-- The judging has begun: three places are given. One place is given twice, so that the dashboard shows a warning.
update public.young_artist_entries set junior_ranking = 1 where entrant_name in ('Gilly Ferrier', 'Yusuf Rahman');
update public.young_photographer_entries set senior_ranking = 2 where entrant_name = 'Freya Lamont';

insert into public.offline_submissions (school_id, category, count, notes)
select s.id, o.category, o.count, o.notes
  from (values
    ('Kempock Primary School', 'artist', 14, 'In a folder at reception.'),
    ('Cardwell Bay High School', 'artist', 6, null),
    ('Lyle Hill Academy', 'citizen', 2, 'Handwritten, being typed up.'),
    ('Wemyss Bay College', 'photographer', 3, 'On a memory stick.')
  ) as o (school, category, count, notes)
  join public.schools as s on s.name = o.school;

with panel (name, categories, phone, notes) as (
  values
    ('Dougal Ritchie', array['photography'], '01475 000601', 'Wedding photographer, retired'),
    ('Ishbel Cairns', array['photography', 'artist'], '01475 000602', null),
    ('Vikram Sethi', array['artist'], '01475 000603', 'Cannot do the first week'),
    ('Lorna Haldane', array['music'], '01475 000604', null),
    ('Peter Quigley', array['music', 'singing'], '01475 000605', 'Brings his own accompanist'),
    ('Jessie Ballantyne', array['singing'], '01475 000606', null)
), added as (
  insert into public.judges (name, email, phone, notes)
  select name, lower(replace(name, ' ', '.')) || '@example.org', phone, notes from panel
  returning id, name
)
insert into public.judge_categories (judge_id, category)
select a.id, unnest(p.categories)
  from added as a
  join panel as p using (name);

insert into public.event_checklist_items (item_name, category, due_date, notes, is_completed) values
  ('Book the arts centre', 'Venue', current_date - 60, 'Confirmed in writing.', true),
  ('Send information packs to schools', 'Schools', current_date - 40, null, true),
  ('Order certificates', 'Print', current_date + 7, 'Sixty, two designs', false),
  ('Order medals and trophies', 'Prizes', current_date + 10, 'Engraving takes a week', false),
  ('Collect paper entries from schools', 'Schools', current_date + 12, null, false),
  ('Piano tuner', 'Venue', current_date + 20, null, false),
  ('Printed programme to the printer', 'Print', current_date + 14, 'Names only with consent', false),
  ('Catering numbers to the venue', 'Catering', current_date + 18, null, false),
  ('Ask for a presenter', null, null, 'Two names suggested', false);

insert into public.invited_guests (name, email, phone, organization, status, notes) values
  ('Provost Marjorie Gillan', 'provost@example.org', '01475 000701', 'Burgh Council', 'accepted', 'Will hand over the trophies'),
  ('Alistair Buie', 'alistair.buie@example.org', null, 'Harbour Trust', 'accepted', null),
  ('Sunita Rao', 'sunita.rao@example.org', '01475 000703', 'Firth Savings Bank', 'invited', 'Sponsor of the music prize'),
  ('Captain Ewan Soutar', 'ewan.soutar@example.org', null, 'Western Ferries of Fiction', 'invited', null),
  ('Margaret Dunlop', null, '01475 000705', 'Past president', 'invited', 'No e-mail: telephone'),
  ('Rev. Colin Auld', 'colin.auld@example.org', null, 'Old Kirk', 'declined', 'Away that week'),
  ('Priya Menon', 'priya.menon@example.org', null, 'Arts Centre', 'accepted', null),
  ('Tom Galbraith', 'tom.galbraith@example.org', '01475 000708', 'Shore Radio', 'invited', 'Would like to record'),
  ('Wilma Paton', 'wilma.paton@example.org', null, 'Inner Wheel', 'declined', null);

insert into public.seasons (name, event_on)
select to_char(event_on, 'YYYY'), event_on from (select current_date + 30 as event_on) as next;

-- The demonstration begins with an empty audit log.
delete from public.audit_log;
-- These entries were not sent by real people, so the club gets no mails about them.
delete from club.mail_jobs;
