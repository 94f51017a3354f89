create table public.notes (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid() references auth.users on delete cascade,
  body text not null check (length(body) between 1 and 2000),
  created_at timestamptz not null default now()
);
alter table public.notes enable row level security;
create policy "own notes" on public.notes for all to authenticated
  using (owner = (select auth.uid()))
  with check (owner = (select auth.uid()));
