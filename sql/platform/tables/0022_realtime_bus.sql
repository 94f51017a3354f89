-- Messages between nodes that are too large for a notification. They are sealed by their node, read within moments and
-- removed after a minute; a crash may empty the table.
create unlogged table if not exists cloch.bus_messages (
  id        uuid primary key,
  message   bytea not null,
  stored_at timestamptz not null default now()
);

create index if not exists bus_messages_stored_at on cloch.bus_messages (stored_at);
revoke all on table cloch.bus_messages from public;
