-- The record of which mails an entry has goes with a merge, so that nobody gets the mail of a state twice.

-- Gives the kept entry the mails that the merged ones have and it lacks.
create function club.take_over_mails(award text, keep uuid, merged uuid[]) returns void
language plpgsql set search_path = '' as $$
#variable_conflict use_column
begin
  -- A mail that is requested for a merged entry at the same time is recorded before the merge, or not at all.
  lock table public.entry_mails in share row exclusive mode;
  insert into public.entry_mails (award, entry, state, sent_by, created_at)
  select distinct on (m.state) m.award, $2, m.state, m.sent_by, m.created_at
    from public.entry_mails as m
   where m.award = $1 and m.entry = any ($3)
   order by m.state, m.created_at
  on conflict on constraint entry_mails_award_entry_state_key do nothing;

  update club.mail_jobs as j set entry = $2 where j.entry = any ($3);
  -- Of the mails of one state that both had, one is written: the one in the outbox, otherwise the one that was tried most often.
  delete from club.mail_jobs as j
   where j.award = $1 and j.entry = $2 and j.state = 'queued' and j.kind in ('shortlisted', 'invited', 'winner', 'thanked')
     and exists (select from club.mail_jobs as o
                  where o.award = j.award and o.entry = j.entry and o.kind = j.kind
                    and (o.message_id is not null or o.state = 'queued')
                    and (o.message_id is not null, o.attempts, o.id) > (false, j.attempts, j.id));
end;
$$;
revoke execute on function club.take_over_mails(text, uuid, uuid[]) from public;

-- As before, and the kept entry takes over the mails of the others.
create or replace function public.merge_entries(award text, keep uuid, others uuid[]) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  entry_table regclass := club.entry_table(award);
  table_name text;
  merged uuid[];
  kept jsonb;
  other jsonb;
  columns text;
begin
  perform club.require_admin();
  merged := club.lock_for_merge(entry_table, keep, others);
  select relname into table_name from pg_catalog.pg_class where oid = entry_table;
  execute format('select to_jsonb(e) from %s as e where id = $1', entry_table) into kept using keep;

  for other in execute format('select to_jsonb(e) from %s as e where id = any ($1) order by created_at desc', entry_table)
    using merged
  loop
    kept := club.filled_entry(kept, other);
    insert into public.audit_log (table_name, record_id, action, changes, actor_id, actor_email, actor_role)
    select table_name, keep, 'merge',
           jsonb_object_agg(o.key, jsonb_build_object('from', o.value, 'to', kept -> o.key)),
           auth.uid(), auth.email(), coalesce(auth.role(), session_user)
      from jsonb_each(other) as o
     where o.key not in ('id', 'submission_key', 'updated_at', 'uploaded_files')
       and o.value is distinct from kept -> o.key;
  end loop;

  -- Before the deletion, with which the mails of the merged entries are forgotten.
  perform club.take_over_mails(award, keep, merged);
  perform set_config('club.deleting_season', 'on', true);
  update public.audit_log as l set record_id = keep where l.record_id = any (merged);
  execute format('delete from %s where id = any ($1)', entry_table) using merged;
  perform set_config('club.deleting_season', '', true);

  select string_agg(quote_ident(attname), ', ') into columns
    from pg_catalog.pg_attribute
   where attrelid = entry_table and attnum > 0 and not attisdropped
     and attname not in ('id', 'submission_key', 'created_at', 'updated_at');
  execute format('update %1$s set (%2$s) = (select %2$s from jsonb_populate_record(null::%1$s, $1)) where id = $2',
                 entry_table, columns)
    using kept, keep;
  return cardinality(merged);
end;
$$;
