alter schema vault rename to cloch_stand_in;
create extension supabase_vault;
-- Moves the secrets. The extension uses the id of the row to encrypt a secret. Therefore the new row first gets the old id, and then the secret is
-- encrypted again.
do $$
declare
  old record;
  new_id uuid;
begin
  for old in
    select *, cloch_stand_in._decrypt(secret) as plain from cloch_stand_in.secrets order by created_at
  loop
    new_id := vault.create_secret(old.plain, old.name, old.description);
    update vault.secrets set id = old.id, created_at = old.created_at where id = new_id;
    perform vault.update_secret(old.id, old.plain);
    update vault.secrets set updated_at = old.updated_at where id = old.id;
  end loop;
end;
$$;
drop table cloch.vault_key;
