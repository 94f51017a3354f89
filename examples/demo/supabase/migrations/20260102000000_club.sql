-- A boat club: members book boats for a morning, an afternoon or an evening.
create table public.members (
  id uuid primary key references auth.users on delete cascade,
  name text not null check (length(name) between 1 and 80),
  role text not null default 'member' check (role in ('member', 'harbour master')),
  joined_on date not null default current_date
);

create table public.boats (
  id bigint generated always as identity primary key,
  name text not null unique check (length(name) between 1 and 80),
  kind text not null check (kind in ('dinghy', 'yacht', 'kayak', 'launch')),
  length_m numeric(4, 2) not null check (length_m > 0),
  seats int not null check (seats between 1 and 20),
  berth text not null,
  photo text,
  in_service boolean not null default true
);

create table public.bookings (
  id bigint generated always as identity primary key,
  boat_id bigint not null references public.boats on delete cascade,
  member_id uuid not null default auth.uid() references public.members on delete cascade,
  day date not null,
  slot text not null check (slot in ('morning', 'afternoon', 'evening')),
  purpose text not null default '' check (length(purpose) <= 200),
  created_at timestamptz not null default now(),
  unique (boat_id, day, slot)
);
create index on public.bookings (member_id);

alter table public.members enable row level security;
alter table public.boats enable row level security;
alter table public.bookings enable row level security;

create policy "members see each other" on public.members for select to authenticated using (true);
create policy "own name" on public.members for update to authenticated
  using (id = (select auth.uid())) with check (id = (select auth.uid()));
-- Members can change their own name, but not their own role.
revoke update on public.members from anon, authenticated;
grant update (name) on public.members to authenticated;

create policy "everybody sees the boats" on public.boats for select to anon, authenticated using (true);
create policy "the harbour master changes boats" on public.boats for update to authenticated
  using (exists (select from public.members where id = (select auth.uid()) and role = 'harbour master'));

create policy "members see bookings" on public.bookings for select to authenticated using (true);
create policy "own bookings" on public.bookings for insert to authenticated with check (member_id = (select auth.uid()));
create policy "cancel own bookings" on public.bookings for delete to authenticated using (member_id = (select auth.uid()));

-- Bookings of each boat in the last 30 days. The view contains only rows that the caller may read.
create view public.boat_usage with (security_invoker = true) as
select boats.id, boats.name, count(bookings.id) as bookings
from public.boats
left join public.bookings on bookings.boat_id = boats.id and bookings.day between current_date - 30 and current_date
group by boats.id;

create function public.free_boats(day date, slot text) returns setof public.boats
language sql stable set search_path = '' as $$
  select boats.* from public.boats
  where boats.in_service and not exists (
    select from public.bookings
    where bookings.boat_id = boats.id and bookings.day = free_boats.day and bookings.slot = free_boats.slot
  )
  order by boats.name
$$;

alter publication supabase_realtime add table public.bookings;
