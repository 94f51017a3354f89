set local role supabase_storage_admin;

-- The least text that is greater than every text with this prefix, in the order of code points; null where there is none.
create or replace function storage.beyond_prefix(p_prefix text)
returns text
language sql immutable as $$
  select left(kept, -1) || chr(case ascii(right(kept, 1)) when 55295 then 57344 else ascii(right(kept, 1)) + 1 end)
    from rtrim(p_prefix, chr(1114111)) as kept
   where kept <> ''
$$;

reset role;
