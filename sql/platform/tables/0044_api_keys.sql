-- Makes table cloch.api_keys: API keys that `cloch keys new` creates, and revoked keys. Each node reads the table every two seconds. Only
-- sessions of the server may write it, as the tables of operators (0040_audit_guards.sql).
create table if not exists cloch.api_keys (
  -- Eight hexadecimal digits, the name of the key in commands.
  id         text primary key,
  -- Description by the operator.
  name       text not null constraint api_keys_name_length check (length(name) <= 100),
  kind       text not null constraint api_keys_kind_known check (kind in ('publishable', 'secret')),
  -- SHA-256 of the key.
  hash       bytea not null unique constraint api_keys_hash_length check (length(hash) = 32),
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

create or replace trigger guard before insert or update or delete on cloch.api_keys
  for each row execute function cloch.guard_operators();
alter table cloch.api_keys enable always trigger guard;
create or replace trigger guard_truncate before truncate on cloch.api_keys
  for each statement execute function cloch.guard_no_truncate();
alter table cloch.api_keys enable always trigger guard_truncate;

do $$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'cloch_server') then
    revoke truncate, references, trigger on cloch.api_keys from cloch_server;
  end if;
end;
$$;
