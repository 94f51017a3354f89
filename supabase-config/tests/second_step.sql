-- Tests that an administrator who has a second factor gets the rights of the role only after confirming the second factor.
create function expect.admin_with(more jsonb) returns void
language sql as $$
  select set_config('request.jwt.claims', (jsonb_build_object(
           'role', 'authenticated', 'sub', '00000000-0000-4000-8000-00000000000a', 'email', 'admin@example.org') || more)::text, true),
         set_config('role', 'authenticated', true);
$$;
grant execute on function expect.admin_with(jsonb) to public;

select expect.admin_with('{"aal": "aal1", "amr": [{"method": "password"}]}');
select expect.value('select count(*) > 0 from public.young_artist_entries', 'true');

-- A factor that was set up but never confirmed has no effect.
select expect.caller('owner');
insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
values ('00000000-0000-4000-8000-0000000000aa', '00000000-0000-4000-8000-00000000000a', 'totp', 'unverified', now(), now());
select expect.admin_with('{"aal": "aal1", "amr": [{"method": "password"}]}');
select expect.value('select count(*) > 0 from public.young_artist_entries', 'true');

select expect.caller('owner');
update auth.mfa_factors set status = 'verified' where user_id = '00000000-0000-4000-8000-00000000000a';
select expect.admin_with('{"aal": "aal1", "amr": [{"method": "password"}]}');
select expect.value('select count(*) from public.young_artist_entries', '0');
select expect.value('select public.has_role(auth.uid(), ''admin'')', 'false');
-- Nor of others.
select expect.value('select public.has_role(''00000000-0000-4000-8000-00000000000e'', ''admin'')', 'false');
select expect.refused('select * from public.list_admins()', '42501');
-- Tokens that lack these claims, or contain them in another form.
select expect.admin_with('{}');
select expect.value('select count(*) from public.young_artist_entries', '0');
select expect.admin_with('{"aal": null, "amr": "passkey"}');
select expect.value('select count(*) from public.young_artist_entries', '0');

select expect.admin_with('{"aal": "aal2", "amr": [{"method": "totp"}, {"method": "password"}]}');
select expect.value('select count(*) > 0 from public.young_artist_entries', 'true');
select expect.value('select public.has_role(auth.uid(), ''admin'')', 'true');
select expect.admin_with('{"aal": "aal1", "amr": [{"method": "passkey", "timestamp": 1}]}');
select expect.value('select count(*) > 0 from public.young_artist_entries', 'true');

-- Administrators without a second factor keep their rights. No caller can call the check directly.
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "00000000-0000-4000-8000-00000000000e"}', true),
       set_config('role', 'authenticated', true);
select expect.value('select count(*) > 0 from public.young_artist_entries', 'true');
select expect.refused('select club.is_strong_enough()', '42501');
