-- policy_exists_rls_disabled: warehouse.stock
-- rls_references_user_metadata: public.orders
-- auth_rls_initplan: public.baskets
-- rls_policy_always_true: public.baskets
-- materialized_view_in_api: public.best_sellers
-- no_primary_key: public.visits
-- rls_enabled_no_policy: public.visits
create schema warehouse;
create table warehouse.stock (id int primary key, pieces int);
create policy "clerks" on warehouse.stock for select using (pieces > 0);
create table public.orders (id int primary key, buyer uuid);
alter table public.orders enable row level security;
create policy "staff" on public.orders for select to authenticated
  using ((select auth.jwt() -> 'user_metadata' ->> 'role') = 'staff');
create policy "buyers" on public.orders for insert to authenticated
  with check ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'buyer' and buyer = (select auth.uid()));
create table public.baskets (id int primary key, buyer uuid);
alter table public.baskets enable row level security;
create policy "mine" on public.baskets for select to authenticated using (buyer = auth.uid());
create policy "everything to everybody" on public.baskets for insert to anon with check (true);
create policy "the shop" on public.baskets for update to service_role using (true);
create table public.visits (id int, at timestamptz);
alter table public.visits enable row level security;
create materialized view public.best_sellers as select 1 as place;
