-- fkey_to_auth_unique: public.patients
-- rls_disabled_in_public: public.insurances
-- sensitive_columns_exposed: public.insurances
-- function_search_path_mutable: public.age
-- authenticated_security_definer_function_executable: public.discharge
-- unsupported_reg_types: public.forms
-- public_bucket_allows_listing: storage.leaflets
-- insecure_queue_exposed_in_api: pgmq.q_letters
create table public.patients (
  id uuid primary key references auth.users, phone text unique constraint patients_phone references auth.users (phone));
alter table public.patients enable row level security;
create policy "self" on public.patients for select to authenticated using (id = (select auth.uid()));
create table public.insurances (id int primary key, national_insurance_number text, password_hash text);
grant select on public.insurances to service_role;
revoke all on public.insurances from anon, authenticated;
create table public.forms (id int primary key, parser regconfig, kind regclass);
alter table public.forms enable row level security;
create policy "staff" on public.forms for select to authenticated using (id > 0);
create function public.age(born date) returns int language sql as 'select 1';
create function public.age(born timestamptz) returns int language sql set search_path = '' as 'select 1';
create function public.weight(kg int) returns int language sql return kg;
create function public.discharge(patient uuid) returns void language sql security definer set search_path = '' as '';
revoke execute on function public.discharge(uuid) from public, anon, authenticated;
grant execute on function public.discharge(uuid) to authenticated;
insert into storage.buckets (id, name, public) values ('leaflets', 'leaflets', true), ('scans', 'scans', false);
create policy "leaflets" on storage.objects for select using (bucket_id = 'leaflets');
create policy "scans" on storage.objects for select to authenticated using (bucket_id = 'scans');
create policy "my leaflets" on storage.objects for delete to authenticated
  using (bucket_id = 'leaflets' and owner_id = (select auth.uid())::text);
grant select (password_hash) on public.insurances to authenticated;
create schema if not exists pgmq;
create table pgmq.q_letters (msg_id bigint primary key);
create table pgmq.a_letters (msg_id bigint primary key);
alter table pgmq.a_letters enable row level security;
