-- auth_users_exposed: public.members
-- security_definer_view: public.lent_books
-- multiple_permissive_policies: public.books
-- anon_security_definer_function_executable: public.count_books
-- duplicate_index: public.books
-- unindexed_foreign_keys: public.books
create table public.shelves (id int primary key, room text);
alter table public.shelves enable row level security;
create policy "all shelves" on public.shelves for select using (id > 0);
create table public.books (
  id int primary key, shelf int constraint books_shelf references public.shelves, title text, reader uuid, is_lent boolean);
create index books_title on public.books (title);
create index books_by_title on public.books (title);
create index books_titles_down on public.books (title desc);
create index books_lent on public.books (title) where is_lent;
alter table public.books enable row level security;
create policy "lent to me" on public.books for select to authenticated using (reader = (select auth.uid()));
create policy "on the shelf" on public.books for select to authenticated using (not is_lent);
create policy "give back" on public.books for update to authenticated using (reader = (select auth.uid()));
create policy "not at night" on public.books as restrictive for select to authenticated using (is_lent is not null);
create view public.members as select id, email from auth.users;
create view public.lent_books as select title from public.books where is_lent;
create view public.my_books with (security_invoker = on) as select title from public.books;
create schema private;
create view private.accounts as select id, email from auth.users;
create table private.notes (id int primary key);
create function public.count_books() returns bigint language sql security definer set search_path = '' as 'select count(*) from public.books';
revoke execute on function public.count_books() from public, anon, authenticated;
grant execute on function public.count_books() to anon;
create function public.touch() returns trigger language plpgsql security definer set search_path = '' as 'begin return new; end';
