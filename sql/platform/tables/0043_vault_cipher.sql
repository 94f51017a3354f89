-- Makes functions cloch.vault_encrypt and cloch.vault_decrypt, and lets the stand-in for supabase_vault encrypt with them. The stand-in's
-- functions run as their owner, a superuser. Until now they called extensions.pgp_sym_encrypt and extensions.pgp_sym_decrypt by name.
-- Schema extensions belongs to role postgres, who can rename it and create functions of these names, which would run as superuser.
-- Only the superuser can create objects in schema cloch. Without a superuser the stand-in's functions run with the rights of Cloch's
-- login, which cannot create functions in C, and nothing changes.

do $outer$
begin
  if to_regprocedure('vault._encrypt(text)') is null or not cloch.is_superuser()
    or not exists (select from cloch.stand_ins where extension = 'supabase_vault') then
    return;
  end if;

  -- Both functions are the C functions of pgcrypto that the functions of the extension call.
  create function cloch.vault_encrypt(secret text, key text, options text) returns bytea
    language c strict parallel safe set search_path = '' as '$libdir/pgcrypto', 'pgp_sym_encrypt_text';
  create function cloch.vault_decrypt(secret bytea, key text) returns text
    language c strict immutable parallel safe set search_path = '' as '$libdir/pgcrypto', 'pgp_sym_decrypt_text';
  revoke all on function cloch.vault_encrypt(text, text, text), cloch.vault_decrypt(bytea, text) from public;

  create or replace function vault._encrypt(secret text) returns text
  language sql security definer set search_path = '' as $$
    select encode(cloch.vault_encrypt(secret, k.key, 'cipher-algo=aes256'), 'base64') from cloch.vault_key as k
  $$;
  create or replace function vault._decrypt(secret text) returns text
  language sql stable security definer set search_path = '' as $$
    select cloch.vault_decrypt(decode(secret, 'base64'), k.key) from cloch.vault_key as k
  $$;
end;
$outer$;
