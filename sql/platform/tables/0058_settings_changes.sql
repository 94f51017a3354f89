-- Makes tables cloch.settings_changes and cloch.settings_nodes, by which a setting that an owner changes in the dashboard reaches the other
-- nodes. Contents are encrypted and authenticated with a key of the project that is not in the database. Only sessions of the server may
-- write the tables, as the tables of operators (0040_audit_guards.sql).
create table if not exists cloch.settings_changes (
  -- Time of the change in microseconds since 1970, increased until it is unique. It orders the changes, also after a restore of the database.
  id      bigint primary key,
  made_at timestamptz not null default now(),
  -- Encrypted change; null when it is 30 days old.
  sealed  bytea
);

create table if not exists cloch.settings_nodes (
  -- Id in the node's data folder.
  id       uuid primary key,
  name     text not null constraint settings_nodes_name_length check (length(name) <= 300),
  -- Random id of the node's process.
  process  uuid not null,
  seen_at  timestamptz not null default now(),
  -- The last change that the node has applied or refused.
  position bigint not null,
  -- Encrypted list of the changes that the node refused, and of its settings that wait for a restart.
  sealed   bytea not null
);
revoke all on table cloch.settings_changes, cloch.settings_nodes from public;

do $$
declare
  guarded name;
begin
  foreach guarded in array array['settings_changes', 'settings_nodes'] loop
    execute format('create or replace trigger guard before insert or update or delete on cloch.%I '
                   'for each row execute function cloch.guard_operators()', guarded);
    execute format('alter table cloch.%I enable always trigger guard', guarded);
    execute format('create or replace trigger guard_truncate before truncate on cloch.%I '
                   'for each statement execute function cloch.guard_no_truncate()', guarded);
    execute format('alter table cloch.%I enable always trigger guard_truncate', guarded);
    if exists (select from pg_catalog.pg_roles where rolname = 'cloch_server') then
      execute format('revoke truncate, references, trigger on cloch.%I from cloch_server', guarded);
    end if;
  end loop;
end;
$$;
