set local role supabase_storage_admin;

-- Returns the smallest text that is greater than every text with the prefix, in the order of code points (collation "C"). Null if there is
-- no greater text, because the prefix is empty or consists only of U+10FFFF. Listings use the result as the upper end of a range. Callable
-- by all roles.
create or replace function storage.beyond_prefix(p_prefix text)
returns text
language sql immutable as $$
  select left(kept, -1) || chr(case ascii(right(kept, 1)) when 55295 then 57344 else ascii(right(kept, 1)) + 1 end)
    from rtrim(p_prefix, chr(1114111)) as kept
   where kept <> ''
$$;

reset role;
