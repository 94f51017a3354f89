create table public.books (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid() references auth.users on delete cascade,
  title text not null check (char_length(title) between 1 and 200),
  is_read boolean not null default false
);
create index on public.books (owner);
alter table public.books enable row level security;
create policy "own books" on public.books for all to authenticated
  using (owner = (select auth.uid()))
  with check (owner = (select auth.uid()));
