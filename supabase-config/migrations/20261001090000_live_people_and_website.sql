-- An admin also sees at once whom another invites or removes, who has accepted, and what
-- another changes or publishes on the website.
create trigger tell_of_change after insert or update or delete on public.user_roles
  for each statement execute function club.tell_of_change('desk');
create trigger tell_of_change after insert or update or delete on club.invited_admins
  for each statement execute function club.tell_of_change('desk');
-- An invitation is accepted with the confirmation of the address. Other changes of an
-- account, each sign-in among them, are none that the list shows at once.
create trigger tell_of_change after update on auth.users
  for each row when (old.email_confirmed_at is distinct from new.email_confirmed_at)
  execute function club.tell_of_change('desk');

do $$
declare
  followed text;
begin
  foreach followed in array array[
    'site_texts', 'site_events', 'site_speakers', 'site_winners', 'site_partners', 'site_chapters', 'site_figures',
    'site_corporate', 'site_publications'
  ] loop
    execute format(
      'create trigger tell_of_change after insert or update or delete on public.%I
         for each statement execute function club.tell_of_change(''desk'')', followed);
  end loop;
end;
$$;
