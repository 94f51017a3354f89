-- Whoever has set up a second step administers only after taking it: in this session
-- (aal2), or by a passkey, whose device has checked who holds it. A stolen password
-- alone then opens nothing.
create function club.is_strong_enough() returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(auth.jwt() ->> 'aal' = 'aal2', false)
      or coalesce(auth.jwt() -> 'amr' @> '[{"method": "passkey"}]', false)
      or not exists (select from auth.mfa_factors as f where f.user_id = auth.uid() and f.status = 'verified')
$$;
revoke execute on function club.is_strong_enough() from public;

create or replace function public.has_role(_user_id uuid, _role public.app_role) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
      select from public.user_roles as r
       where r.user_id = _user_id
         and r.role = _role
    )
    and (
      coalesce(auth.role(), 'service_role') = 'service_role'
      or (
        club.is_strong_enough()
        and (
          _user_id = auth.uid()
          or exists (select from public.user_roles as own where own.user_id = auth.uid() and own.role = 'admin')
        )
      )
    )
$$;
