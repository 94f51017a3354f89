-- Members, without passwords. `cloch start --demo` creates passwords for the members with which a user of the demo can sign in.
insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
select '00000000-0000-0000-0000-000000000000', id::uuid, 'authenticated', 'authenticated', email, now() - joined, '{"provider":"email","providers":["email"]}',
  jsonb_build_object('name', name), now() - joined, now() - joined
from (values
  ('8d1f6a52-3c47-4b0e-9a71-2f5c7d0e4b19', 'anne@example.org', 'Anne Carrick', interval '410 days'),
  ('1c0b7e94-52d3-4f68-8e15-7a9d3b6c2f40', 'bo@example.org', 'Bo Lindqvist', interval '388 days'),
  ('e27a4d16-90bf-4c85-b3d2-61f8a05c7e93', 'catriona@example.org', 'Catriona Shaw', interval '365 days'),
  ('4f93c8b0-1e6d-4a27-8c59-d0b7f2e61a38', 'dougal@example.org', 'Dougal Reid', interval '301 days'),
  ('b6580e2f-7d41-49c3-a1f6-3e9c84d70b52', 'elspeth@example.org', 'Elspeth Munro', interval '254 days'),
  ('0a7de3c9-846b-4d12-9f70-c5b21e8f6d34', 'farah@example.org', 'Farah Nadeem', interval '231 days'),
  ('93b2f57e-c08a-4e61-b4d7-8f1a60c3d925', 'gregor@example.org', 'Gregor Baird', interval '160 days'),
  ('6ce41d80-2b97-4538-8a0e-f47d9c15b3e6', 'hana@example.org', 'Hana Novak', interval '122 days'),
  ('d81f09a4-65ec-4b73-9d28-0c7e5f3b12a9', 'iain@example.org', 'Iain McPhee', interval '97 days'),
  ('2e5bc673-f914-4d0a-a8b1-947c0d6ef258', 'jun@example.org', 'Jun Watanabe', interval '44 days'),
  ('a40c92d7-38f5-4e1b-86c3-5d2b7e90fa61', 'kirsty@example.org', 'Kirsty Boyd', interval '19 days'),
  ('7b36ef15-d04c-4982-9e5a-1c8f73b0d46e', 'lachlan@example.org', 'Lachlan Orr', interval '3 days')
) as person (id, email, name, joined);

insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
select id::text, id, jsonb_build_object('sub', id, 'email', email, 'email_verified', true), 'email', created_at, created_at, created_at from auth.users;

insert into public.members (id, name, role, joined_on)
select id, raw_user_meta_data ->> 'name', case email when 'bo@example.org' then 'harbour master' else 'member' end, created_at::date from auth.users;

insert into public.boats (name, kind, length_m, seats, berth, photo, in_service) values
  ('Osprey', 'yacht', 9.40, 6, 'A1', 'osprey.webp', true),
  ('Kittiwake', 'dinghy', 4.30, 3, 'B2', 'kittiwake.webp', true),
  ('Selkie', 'kayak', 5.10, 2, 'C1', 'selkie.webp', true),
  ('Isle of Bute', 'launch', 7.80, 12, 'A3', 'isle-of-bute.webp', true),
  ('Sandpiper', 'dinghy', 4.30, 3, 'B3', null, true),
  ('Gannet', 'yacht', 8.20, 5, 'A2', null, true),
  ('Puffin', 'kayak', 3.90, 1, 'C2', null, true),
  ('Curlew', 'dinghy', 3.60, 2, 'B4', null, false);

-- Bookings for about a third of all slots, from six weeks ago to two weeks ahead.
insert into public.bookings (boat_id, member_id, day, slot, purpose, created_at)
select boats.id, member.id, day, slot, (array['Training', 'Round Great Cumbrae', 'Evening race', 'Family trip', 'Fishing', ''])[1 + chance % 6],
  least(now(), day - interval '3 days' + chance * interval '7 minutes')
from public.boats
cross join generate_series(current_date - 42, current_date + 14, interval '1 day') as day
cross join unnest(array['morning', 'afternoon', 'evening']) as slot
cross join lateral (select abs(hashtext(boats.name || day::date || slot)) % 1009 as chance) as random
join (select id, row_number() over (order by joined_on) as number from public.members) as member on member.number = 1 + chance % 12
where boats.in_service and chance % 3 = 0
order by day, slot, boats.id;

insert into public.readings
select reading.* from generate_series(date_trunc('minute', now()) - interval '3 days', now(), interval '5 minutes') as at, public.reading_at(at) as reading;

insert into public.notes (owner, body, picture, created_at)
select '8d1f6a52-3c47-4b0e-9a71-2f5c7d0e4b19', body, picture, now() - age
from (values
  (1, 'Lamp oil, two litres', null, interval '4 days 3 hours'),
  (2, E'Ask Morag about the harbour wall.\nThursday, half past six', null, interval '2 days 5 hours'),
  (3, 'High water at Greenock: 14:20. Take the long rope.', null, interval '26 hours'),
  (4, 'The drawing for Saturday is done.', '8d1f6a52-3c47-4b0e-9a71-2f5c7d0e4b19/pier.webp', interval '50 minutes')
) as note (number, body, picture, age)
order by number;
insert into public.notes (owner, body, created_at)
select id, 'New rigging for ' || (array['Osprey', 'Gannet', 'Kittiwake'])[1 + abs(hashtext(email)) % 3] || ': three offers until Friday', now() - interval '1 day'
from auth.users where email in ('bo@example.org', 'catriona@example.org');
