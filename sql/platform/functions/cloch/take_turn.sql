-- Permits one call of a subject, and refuses further calls until the interval `gap` has passed. Returns zero if this call is permitted,
-- otherwise the time to wait. Only one of several concurrent calls is permitted. Callable by roles that may write cloch.rate_limits:
-- Cloch's own login and supabase_auth_admin.
create or replace function cloch.take_turn(subject text, gap interval) returns interval
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
#variable_conflict use_column
declare
  moment timestamptz := clock_timestamp();
  free_at timestamptz;
begin
  insert into cloch.rate_limits as held (subject, slices, counts, expires_at)
  values (take_turn.subject, '{}', '{}', moment + gap)
  on conflict on constraint rate_limits_pkey do update
    set expires_at = excluded.expires_at
    where held.expires_at <= moment;
  if found then
    return interval '0';
  end if;
  select r.expires_at into free_at from cloch.rate_limits as r where r.subject = take_turn.subject;
  return greatest(coalesce(free_at, moment) - moment, interval '1 millisecond');
end;
$$;
