-- Removes the last counted call of a subject from cloch.rate_limits, because the action should not count, such as a successful sign-in.
-- Callable by roles that may write cloch.rate_limits: Cloch's own login and supabase_auth_admin.
create or replace function cloch.give_back(subject text) returns void
language sql set search_path = 'pg_catalog', 'pg_temp' as $$
  update cloch.rate_limits
     set counts = case when counts[cardinality(counts)] > 1
           then counts[1:cardinality(counts) - 1] || (counts[cardinality(counts)] - 1)
           else counts[1:cardinality(counts) - 1] end,
         slices = case when counts[cardinality(counts)] > 1
           then slices else slices[1:cardinality(slices) - 1] end
   where subject = give_back.subject and cardinality(counts) > 0;
$$;
