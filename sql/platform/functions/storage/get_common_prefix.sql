set local role supabase_storage_admin;

-- Returns the folder under which a listing shows the key: the key up to and including the first delimiter after the prefix. Null if the key
-- has no delimiter after the prefix; the listing then shows the key itself. Callable by all roles.
create or replace function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text)
returns text
language sql immutable as $$
  select case
    when position(p_delimiter in substring(p_key from length(p_prefix) + 1)) > 0
    then left(p_key,
      length(p_prefix)
      + position(p_delimiter in substring(p_key from length(p_prefix) + 1))
      + length(p_delimiter) - 1)
  end
$$;

reset role;
