set local role supabase_storage_admin;

-- The first part of a key up to and with the delimiter, counted from the prefix;
-- null when the key has no delimiter after the prefix: a file of this level.
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
