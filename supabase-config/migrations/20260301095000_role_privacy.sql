-- Who is an admin is not for everybody to ask: a signed-in user learns of their own
-- roles, an admin and the server of everybody's. Others hear false, as for a user
-- without the role. (Without claims it is the database's owner who asks.)
create or replace function public.has_role(_user_id uuid, _role public.app_role) returns boolean
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
