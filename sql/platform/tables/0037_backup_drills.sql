-- Drills: restores of the latest backup beside the running server, to prove that it can be
-- restored. The row is written before the drill, and the restored copy must hold it.
create table if not exists cloch.backup_drills (
  id              bigint generated always as identity primary key,
  begun_at        timestamptz not null default clock_timestamp(),
  -- Null while it runs, and where the server ended before it did.
  ended_at        timestamptz,
  -- Why the copy is not what it should be; null where it is.
  failure         text,
  -- The moment that was restored.
  restored_to     timestamptz,
  database_bytes  bigint,
  files           bigint,
  file_bytes      bigint,
  users           bigint,
  -- Whether pg_amcheck compared tables and indexes.
  tables_compared boolean
);

revoke all on table cloch.backup_drills from public;
