-- Makes the stand-in for supabase_vault (schema vault), unless the server has the extension. Secrets are encrypted with pgcrypto under
-- a key of this database (cloch.vault_key) that only the stand-in's functions read. The encryption keeps secrets out of reads of the
-- table and out of logged rows. A full dump of the database contains the key as well.

do $outer$
begin
  if not cloch.stand_in_wanted('supabase_vault', 'vault.secrets is encrypted with pgcrypto under a key kept in this database') then
    return;
  end if;
  if not exists (select from pg_catalog.pg_extension where extname = 'pgcrypto') then
    delete from cloch.stand_ins where extension = 'supabase_vault';
    perform cloch.note('extension supabase_vault', 'not installed, and not stood in for because pgcrypto is missing');
    return;
  end if;

  create schema vault authorization supabase_admin;
  create table cloch.vault_key (
    only_one boolean primary key default true check (only_one),
    key      text not null
  );
  insert into cloch.vault_key (key) values (encode(extensions.gen_random_bytes(32), 'hex'));

  create table vault.secrets (
    id          uuid primary key default gen_random_uuid(),
    name        text,
    description text not null default '',
    secret      text not null,
    key_id      uuid,
    nonce       bytea,
    created_at  timestamptz not null default current_timestamp,
    updated_at  timestamptz not null default current_timestamp
  );
  create unique index secrets_name_idx on vault.secrets (name) where name is not null;

  create function vault._encrypt(secret text) returns text
  language sql security definer set search_path = '' as $$
    select encode(extensions.pgp_sym_encrypt(secret, k.key, 'cipher-algo=aes256'), 'base64') from cloch.vault_key as k
  $$;
  create function vault._decrypt(secret text) returns text
  language sql stable security definer set search_path = '' as $$
    select extensions.pgp_sym_decrypt(decode(secret, 'base64'), k.key) from cloch.vault_key as k
  $$;

  create view vault.decrypted_secrets as
    select s.id, s.name, s.description, s.secret, vault._decrypt(s.secret) as decrypted_secret,
           s.key_id, s.nonce, s.created_at, s.updated_at
      from vault.secrets as s;

  create function vault.create_secret(
    new_secret text, new_name text default null, new_description text default '',
    new_key_id uuid default null
  ) returns uuid
  language sql security definer set search_path = '' as $$
    insert into vault.secrets (secret, name, description, key_id)
    values (vault._encrypt(new_secret), new_name, new_description, new_key_id)
    returning id
  $$;

  create function vault.update_secret(
    secret_id uuid, new_secret text default null, new_name text default null,
    new_description text default null, new_key_id uuid default null
  ) returns void
  language sql security definer set search_path = '' as $$
    update vault.secrets as s
       set secret = case when new_secret is null then s.secret else vault._encrypt(new_secret) end,
           name = coalesce(new_name, s.name),
           description = coalesce(new_description, s.description),
           key_id = coalesce(new_key_id, s.key_id),
           updated_at = now()
     where s.id = secret_id
  $$;

  revoke all on all routines in schema vault from public;
  grant usage on schema vault to postgres, service_role;
  grant select, delete on vault.secrets, vault.decrypted_secrets to postgres with grant option;
  grant select, delete on vault.secrets, vault.decrypted_secrets to service_role;
  grant execute on function
    vault._decrypt(text),
    vault.create_secret(text, text, text, uuid),
    vault.update_secret(uuid, text, text, text, uuid)
    to postgres, service_role;
end;
$outer$;
