-- Administrators come by invitation: who is invited, and the role that the
-- account gets in the transaction that creates it.

create table club.invited_admins (
  email      text not null,
  -- Null for one on the configured list of first admins, whom anybody may invite.
  invited_by uuid,
  invited_at timestamptz not null default now(),
  -- When the role was last taken away: from then on only an admin may invite again.
  removed_at timestamptz,
  constraint invited_admins_pkey primary key (email),
  constraint invited_admin_email_is_lower_case check (email = lower(email))
);
alter table club.invited_admins enable row level security;

-- Notes an invitation and says what is left to do: 'invite' the address, send
-- the 'admin' a link to sign in, or nothing, 'refused'. Only the server calls it.
--
-- An account without the role is deleted first. It holds nothing, and whoever
-- signed up with this address may be somebody else: that account's password and
-- sessions must not become an admin's.
create function club.invite_admin(_email text, _invited_by uuid) returns text
language plpgsql set search_path = '' as $$
declare
  account auth.users;
begin
  insert into club.invited_admins as i (email, invited_by)
  values (_email, _invited_by)
  on conflict (email) do update
    set invited_by = excluded.invited_by, invited_at = now(), removed_at = null
    where excluded.invited_by is not null
       or i.removed_at is null
       or not exists (select from public.user_roles where role = 'admin');
  if not found then
    return 'refused';
  end if;

  for account in
    select * from auth.users where lower(email) = _email and not is_sso_user for update
  loop
    if exists (select from public.user_roles where user_id = account.id and role = 'admin') then
      return case when account.email_confirmed_at is null then 'invite' else 'admin' end;
    end if;
    delete from auth.users where id = account.id;
  end loop;
  return 'invite';
end;
$$;

-- An account that the auth API creates by invitation has invited_at from the
-- start. One that signed up in between gets it by an update; its password was
-- somebody's choice who has not shown that the address is theirs.
create function club.forget_password_on_invitation() returns trigger
language plpgsql set search_path = '' as $$
begin
  if old.invited_at is null and new.email_confirmed_at is null then
    new.encrypted_password := '';
  end if;
  return new;
end;
$$;

create function club.grant_role_on_invitation() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.user_roles (user_id, role)
  select new.id, 'admin'
    from club.invited_admins as i
   where i.email = lower(new.email) and i.removed_at is null
  on conflict (user_id, role) do nothing;
  return null;
end;
$$;

create trigger forget_password_on_invitation before update of invited_at on auth.users
  for each row when (new.invited_at is not null)
  execute function club.forget_password_on_invitation();
create trigger grant_role_on_invitation after insert or update of invited_at on auth.users
  for each row when (new.invited_at is not null)
  execute function club.grant_role_on_invitation();

create function club.note_removed_admin() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update club.invited_admins as i
     set removed_at = now()
    from auth.users as u
   where u.id = old.user_id and i.email = lower(u.email);
  return null;
end;
$$;

-- Before an account goes, while its address can still be read.
create function club.note_deleted_admin() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update club.invited_admins as i
     set removed_at = now()
   where i.email = lower(old.email)
     and exists (select from public.user_roles where user_id = old.id and role = 'admin');
  return old;
end;
$$;

create trigger note_removed_admin after delete on public.user_roles
  for each row when (old.role = 'admin')
  execute function club.note_removed_admin();
create trigger note_deleted_admin before delete on auth.users
  for each row execute function club.note_deleted_admin();
