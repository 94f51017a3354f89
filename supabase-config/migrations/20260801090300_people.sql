-- Who administers the club: listed, and removed with everything that lets them in.
-- (Invited they are by the function send-invite.)

-- A role comes with an invitation and goes with remove_admin: nobody writes it by hand
-- through the API, where the last admin could be deleted or a stranger made one unseen.
revoke insert, update, delete on public.user_roles from authenticated;

-- The admins, and who is invited to be one.
create function public.list_admins()
returns table (
  email text,
  -- Null while an invitation has made no account.
  user_id uuid,
  is_you boolean,
  -- The invitation has not been accepted yet.
  is_pending boolean,
  invited_by text,
  since timestamptz,
  last_sign_in_at timestamptz
)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select coalesce(u.email::text, i.email), u.id, coalesce(u.id = auth.uid(), false), u.email_confirmed_at is null,
           inviter.email::text, coalesce(r.created_at, i.invited_at), u.last_sign_in_at
      from (public.user_roles as r join auth.users as u on u.id = r.user_id and r.role = 'admin')
      full join (select * from club.invited_admins where removed_at is null) as i on i.email = lower(u.email)
      left join auth.users as inviter on inviter.id = i.invited_by
     order by 4, 1;
end;
$$;

-- Takes an admin's role, account and sessions, or an invitation with its link. Nobody
-- removes themselves: somebody is always left who can invite. From then on only an
-- admin may invite the address again.
create function public.remove_admin(admin_email text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  address text := lower(btrim(admin_email));
begin
  -- Two admins who remove each other at once: the second one is none any more.
  lock table public.user_roles in share row exclusive mode;
  perform club.require_admin();
  if address = lower(auth.email()) or exists (select from auth.users where id = auth.uid() and lower(email) = address) then
    raise exception 'Another administrator has to remove you';
  end if;
  if not exists (select from club.invited_admins where email = address and removed_at is null)
     and not exists (
       select from public.user_roles as r join auth.users as u on u.id = r.user_id
        where r.role = 'admin' and lower(u.email) = address)
  then
    raise exception 'This is no administrator any more';
  end if;
  delete from public.user_roles as r using auth.users as u
   where u.id = r.user_id and lower(u.email) = address and r.role = 'admin';
  delete from auth.users where lower(email) = address and not is_sso_user;
  insert into club.invited_admins as i (email, invited_by, removed_at) values (address, auth.uid(), now())
  on conflict (email) do update set removed_at = now();
end;
$$;

grant execute on function public.list_admins(), public.remove_admin(text) to authenticated, service_role;
