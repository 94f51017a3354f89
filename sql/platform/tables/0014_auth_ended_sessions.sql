-- Makes the triggers that notify all nodes of deleted sessions and of banned or deleted users. The nodes then close realtime channels
-- of these sessions.

\ir ../functions/cloch/tell_ended_sessions.sql
\ir ../functions/cloch/tell_refused_user.sql

create or replace trigger cloch_tell_ended_sessions after delete on auth.sessions
  referencing old table as ended for each statement execute function cloch.tell_ended_sessions();

create or replace trigger cloch_tell_refused_user after update of banned_until, deleted_at on auth.users
  for each row when (new.banned_until is distinct from old.banned_until or new.deleted_at is distinct from old.deleted_at)
  execute function cloch.tell_refused_user();
