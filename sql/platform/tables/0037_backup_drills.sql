-- Makes the table of backup drills. A drill restores the latest backup beside the running server, to prove that the backup can be
-- restored. The row is inserted before the drill, and the restored copy must contain it.
create table if not exists cloch.backup_drills (
  id              bigint generated always as identity primary key,
  begun_at        timestamptz not null default clock_timestamp(),
  -- Null while the drill runs, and if the server stopped before the drill ended.
  ended_at        timestamptz,
  -- Why the drill failed; null if it succeeded or has not ended.
  failure         text,
  -- Point in time to which the backup was restored.
  restored_to     timestamptz,
  database_bytes  bigint,
  files           bigint,
  file_bytes      bigint,
  users           bigint,
  -- Whether pg_amcheck compared tables with their indexes.
  tables_compared boolean
);

revoke all on table cloch.backup_drills from public;
