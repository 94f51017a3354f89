-- Rooms have members. A person becomes a member with the room's code, which members give to others.
create table public.rooms (
  id uuid primary key default gen_random_uuid(),
  name text not null check (name ~ '^[a-z0-9-]{1,40}$'),
  code uuid not null unique default gen_random_uuid()
);
create table public.members (
  room uuid references public.rooms on delete cascade,
  person uuid references auth.users on delete cascade default auth.uid(),
  primary key (room, person)
);
create table public.messages (
  id bigint generated always as identity primary key,
  room uuid not null references public.rooms on delete cascade,
  author uuid not null default auth.uid() references auth.users on delete cascade,
  nick text not null check (char_length(nick) between 1 and 40),
  body text not null check (char_length(body) between 1 and 2000),
  sent_at timestamptz not null default now()
);
create index on public.messages (room, id);
alter table public.rooms enable row level security;
alter table public.members enable row level security;
alter table public.messages enable row level security;

-- The function is security definer, because a policy on members that itself reads members would cause an infinite recursion.
create function public.is_member(room_id uuid) returns boolean
language sql stable security definer set search_path = ''
as $$ select exists (select from public.members as m where m.room = room_id and m.person = (select auth.uid())) $$;

create policy "members see their rooms" on public.rooms for select to authenticated using (public.is_member(id));
create policy "members see each other" on public.members for select to authenticated using (public.is_member(room));
create policy "members leave" on public.members for delete to authenticated using (person = (select auth.uid()));
create policy "members read" on public.messages for select to authenticated using (public.is_member(room));
create policy "members write in their own name" on public.messages for insert to authenticated
  with check (author = (select auth.uid()) and public.is_member(room));

-- The only two ways to become a member.
create function public.create_room(room_name text) returns public.rooms
language plpgsql security definer set search_path = ''
as $$
declare created public.rooms;
begin
  insert into public.rooms (name) values (room_name) returning * into created;
  insert into public.members (room) values (created.id);
  return created;
end $$;
create function public.join_room(room_code uuid) returns public.rooms
language plpgsql security definer set search_path = ''
as $$
declare found_room public.rooms;
begin
  select * into found_room from public.rooms where code = room_code;
  if not found then
    raise exception 'no room has this code' using errcode = 'P0002';
  end if;
  insert into public.members (room) values (found_room.id) on conflict do nothing;
  return found_room;
end $$;
revoke execute on function public.create_room, public.join_room, public.is_member from public, anon;
grant execute on function public.create_room, public.join_room, public.is_member to authenticated;
