-- What every table of the club leans on: closed defaults, who is an admin, and the
-- judges' role.

-- A new table or function is closed until a migration opens it. (The platform's
-- default, as Supabase's, opens it to the API roles.)
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke all on routines from anon, authenticated;
alter default privileges revoke execute on routines from public;

-- Judges have no account: one password opens the portal, whose token carries this
-- role. Roles belong to the cluster, so another database may have made it.
do $$
begin
  if not exists (select from pg_roles where rolname = 'judge') then
    create role judge nologin;
  end if;
  grant judge to authenticator, current_user;
exception
  -- Made by another login, which has also granted it, or has to.
  when insufficient_privilege then
    if not pg_has_role('authenticator', 'judge', 'member') then
      raise;
    end if;
end;
$$;

-- What policies and triggers call, and the API does not show.
create schema club;
grant usage on schema club to authenticated, judge, service_role;

create type public.app_role as enum ('admin');

create table public.user_roles (
  id         uuid not null default gen_random_uuid(),
  user_id    uuid not null,
  role       public.app_role not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint user_roles_pkey primary key (id),
  constraint user_roles_user_id_role_key unique (user_id, role),
  constraint user_roles_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);

-- With its owner's rights: who has a role is not for everybody to read. A signed-in
-- user learns of their own roles, an admin and the server of everybody's; others
-- hear false, as for a user without the role. (Without claims it is the database's
-- owner who asks.)
create function public.has_role(_user_id uuid, _role public.app_role) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
      select from public.user_roles as r
       where r.user_id = _user_id
         and r.role = _role
    )
    and (
      _user_id = auth.uid()
      or coalesce(auth.role(), 'service_role') = 'service_role'
      or exists (select from public.user_roles as own where own.user_id = auth.uid() and own.role = 'admin')
    )
$$;
grant execute on function public.has_role(uuid, public.app_role) to authenticated, service_role;

-- The caller is an admin. In policies as (select club.is_admin()), so that it is
-- asked once for a statement and not for each row.
create function club.is_admin() returns boolean
language sql stable security definer set search_path = '' as $$
  select public.has_role(auth.uid(), 'admin')
$$;
grant execute on function club.is_admin() to authenticated, service_role;

-- Stops a caller who is neither an admin nor the server.
create function club.require_admin() returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if not club.is_admin() and auth.role() is distinct from 'service_role' then
    raise insufficient_privilege using message = 'Only an administrator may do this';
  end if;
end;
$$;
grant execute on function club.require_admin() to authenticated, service_role;
