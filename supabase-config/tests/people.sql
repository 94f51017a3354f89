-- Tests that only administrators can list and remove administrators.
create temporary table call (statement text);
grant select on call to public;
insert into call values
  ('select * from public.list_admins()'),
  ('select public.remove_admin(''second@example.org'')');
select expect.caller('anon');
select expect.refused(statement, '42501') from call;
select expect.caller('judge');
select expect.refused(statement, '42501') from call;
select expect.caller('stranger');
select expect.refused(statement, '42501') from call;
select expect.refused('select * from club.invited_admins', '42501');

-- No caller can change a role directly in the table.
select expect.caller('admin');
select expect.refused('insert into public.user_roles (user_id, role) values (''00000000-0000-4000-8000-00000000000b'', ''admin'')', '42501');
select expect.refused('update public.user_roles set user_id = ''00000000-0000-4000-8000-00000000000b''', '42501');
select expect.refused('delete from public.user_roles', '42501');
select expect.refused('select * from auth.users', '42501');
select expect.refused('select public.remove_admin(''ADMIN@example.org'')', 'P0001');
select expect.refused('select public.remove_admin(''stranger@example.org'')', 'P0001');

select expect.caller('owner');
insert into auth.sessions (id, user_id) values (gen_random_uuid(), '00000000-0000-4000-8000-00000000000e');
select expect.value('select club.invite_admin(''third@example.org'', ''00000000-0000-4000-8000-00000000000a'')', 'invite');
insert into auth.users (instance_id, id, aud, role, email, invited_at) values
  ('00000000-0000-0000-0000-000000000000', '00000000-0000-4000-8000-0000000000f3', 'authenticated', 'authenticated', 'third@example.org', now());
update auth.users set email_confirmed_at = now() where email in ('admin@example.org', 'second@example.org');
select expect.value('select club.invite_admin(''fourth@example.org'', ''00000000-0000-4000-8000-00000000000a'')', 'invite');

select expect.caller('admin');
select expect.value('select string_agg(concat_ws('' '', email, is_you, is_pending, invited_by, user_id is not null), '', '') from public.list_admins()',
  'admin@example.org t f t, second@example.org f f t, fourth@example.org f t admin@example.org f, third@example.org f t admin@example.org t');

-- The removal of an administrator deletes the role, the account and the sessions. The removal of an invitation also deletes its link.
select public.remove_admin('Second@example.org');
select public.remove_admin('third@example.org');
select public.remove_admin('fourth@example.org');
select expect.refused('select public.remove_admin(''third@example.org'')', 'P0001');
select expect.value('select string_agg(email, '', '') from public.list_admins()', 'admin@example.org');
select expect.caller('owner');
select expect.value('select count(*) from auth.users where email in (''second@example.org'', ''third@example.org'')', '0');
select expect.value('select count(*) from auth.sessions', '0');
-- The invitation for the first administrator is still open, but an administrator who was removed cannot use it.
select expect.value('select club.invite_admin(''second@example.org'', null)', 'refused');
select expect.value('select club.invite_admin(''second@example.org'', ''00000000-0000-4000-8000-00000000000a'')', 'invite');
-- A token may still be valid after its account was deleted. The token gives no access then.
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "00000000-0000-4000-8000-00000000000e", "email": "second@example.org"}', true),
       set_config('role', 'authenticated', true);
select expect.refused('select * from public.list_admins()', '42501');
select expect.value('select count(*) from public.young_artist_entries', '0');
