-- Records in cloch.notices that this database lacks a feature, or that a substitute of Cloch provides it. Replaces an earlier notice about
-- the same subject. Called by tables files and by the functions that they call.
create or replace function cloch.note(subject text, detail text) returns void
language sql set search_path = 'pg_catalog', 'pg_temp' as $$
  insert into cloch.notices as n (subject, detail)
  values (note.subject, note.detail)
  on conflict on constraint notices_pkey do update
    set detail = excluded.detail, noted_at = now();
$$;
