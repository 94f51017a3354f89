-- Makes table cloch.bus_messages: messages between nodes that are too large for the payload of a notification. The notification
-- contains the row's id. The sending node encrypts the message, the other nodes read it within moments, and the row is deleted after a
-- minute. The table is unlogged: a crash of PostgreSQL may empty it.
create unlogged table if not exists cloch.bus_messages (
  id        uuid primary key,
  message   bytea not null,
  stored_at timestamptz not null default now()
);

create index if not exists bus_messages_stored_at on cloch.bus_messages (stored_at);
revoke all on table cloch.bus_messages from public;
