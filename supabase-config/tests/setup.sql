-- Runs before each test file, on a database with the migrations and the seed. Creates three accounts (two of them are admins), a file in each bucket,
-- and the functions of schema expect.

insert into auth.users (instance_id, id, aud, role, email) values
  ('00000000-0000-0000-0000-000000000000', '00000000-0000-4000-8000-00000000000a', 'authenticated', 'authenticated', 'admin@example.org'),
  ('00000000-0000-0000-0000-000000000000', '00000000-0000-4000-8000-00000000000b', 'authenticated', 'authenticated', 'stranger@example.org'),
  ('00000000-0000-0000-0000-000000000000', '00000000-0000-4000-8000-00000000000e', 'authenticated', 'authenticated', 'second@example.org');
insert into public.user_roles (user_id, role) values ('00000000-0000-4000-8000-00000000000a', 'admin');
insert into public.user_roles (user_id, role) values ('00000000-0000-4000-8000-00000000000e', 'admin');

insert into club.judging_password (hash, version) values ('none', '00000000-0000-4000-8000-00000000000c');

insert into storage.objects (bucket_id, name, owner_id) values
  ('youth-awards-submissions', 'artist/gilly-ferrier/1760000000000-tide-pools.jpg', null),
  ('youth-awards-submissions', 'young-citizen/eilidh-baird/1760000000000-letter.pdf', null),
  ('music-uploads', 'skye-buchanan/1760000000000-air.mp3', null),
  ('site-pictures', 'events/1760000000000-draft.jpg', null);
update public.young_artist_entries
   set uploaded_files = array['artist/gilly-ferrier/1760000000000-tide-pools.jpg']
 where entrant_name = 'Gilly Ferrier';

insert into public.guest_letters (guest_id, guest_name, email, subject, message)
select id, name, email, 'Following up', 'A letter' from public.invited_guests where name = 'Tom Galbraith';

insert into public.extra_files (kind, entrant_name, uploaded_files) values ('additional', 'Gilly Ferrier', '{artist/gilly-ferrier/1760000000001-more.jpg}');

insert into public.late_links (award, entrant, token_hash, expires_at) values ('artist', 'A late entrant', 'no token has this hash', now() + interval '1 day');

insert into public.entry_links (award, entry, token_hash) select 'artist', id, 'no token has this hash' from public.young_artist_entries where entrant_name = 'Gilly Ferrier';

insert into public.entry_mails (award, entry, state) select 'artist', id, 'thanked' from public.young_artist_entries where entrant_name = 'Gilly Ferrier';

insert into public.reminders (audience, mails) values ('files', 1);

insert into public.site_results (award, entry) select 'artist', id from public.young_artist_entries where entrant_name = 'Gilly Ferrier';

insert into public.judging_criteria (award, name) values ('musician', 'Interpretation');

insert into public.season_totals (season, award, category, entries) values ('before', 'artist', 'senior', 3);

create schema expect;
grant usage on schema expect to public;

-- Runs the following statements as a caller of the API: 'anon', 'stranger' (signed in, without a role), 'admin', 'judge', 'old judge' (with a token
-- from before the last change of the password), 'service_role'. With 'owner', they bypass row-level security.
create function expect.caller(who text) returns void
language sql as $$
  select set_config('request.jwt.claims', case who
           when 'stranger' then '{"role": "authenticated", "sub": "00000000-0000-4000-8000-00000000000b", "email": "stranger@example.org"}'
           when 'admin' then '{"role": "authenticated", "sub": "00000000-0000-4000-8000-00000000000a", "email": "admin@example.org"}'
           when 'judge' then '{"role": "judge", "password_version": "00000000-0000-4000-8000-00000000000c"}'
           when 'old judge' then '{"role": "judge", "password_version": "00000000-0000-4000-8000-00000000000d"}'
           when 'owner' then ''
           else json_build_object('role', who)::text end, true),
         set_config('role', case who
           when 'stranger' then 'authenticated' when 'admin' then 'authenticated'
           when 'old judge' then 'judge' when 'owner' then (select nspowner::regrole::text from pg_namespace where nspname = 'expect')
           else who end, true);
$$;

-- Expects that the statement fails with this SQLSTATE, and, if a constraint is given, because of this constraint. (42501: insufficient privilege;
-- 23514: check constraint.)
create function expect.refused(statement text, state text, by_constraint text default null) returns void
language plpgsql as $$
declare
  got_constraint text;
begin
  begin
    execute statement;
  exception when others then
    get stacked diagnostics got_constraint = constraint_name;
    if sqlstate <> state or (by_constraint is not null and got_constraint is distinct from by_constraint) then
      raise exception 'expected % % from: %; got % % %', state, by_constraint, statement, sqlstate, got_constraint, sqlerrm;
    end if;
    return;
  end;
  raise exception 'expected % from: %; it passed', state, statement;
end;
$$;

create function expect.affected(statement text, rows integer) returns void
language plpgsql as $$
declare
  got integer;
begin
  execute statement;
  get diagnostics got = row_count;
  if got <> rows then
    raise exception 'expected % row(s) from: %; got %', rows, statement, got;
  end if;
end;
$$;

create function expect.value(query text, value text) returns void
language plpgsql as $$
declare
  got text;
begin
  execute query into got;
  if got is distinct from value then
    raise exception 'expected "%" from: %; got "%"', value, query, got;
  end if;
end;
$$;

grant execute on all routines in schema expect to public;
