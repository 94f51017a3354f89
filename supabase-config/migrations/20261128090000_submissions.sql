-- After the insert of a record, its form calls send-email with the record's submission key: the call sends the mail that the database has
-- queued in the record's transaction. This view finds that record. Each table has a unique index on the key.

create view club.submissions with (security_invoker = true) as
  select submission_key, 'citizen' as award, id as entry from public.young_citizen_nominations
  union all
  select submission_key, 'musician', id from public.young_musician_entries
  union all
  select submission_key, 'photographer', id from public.young_photographer_entries
  union all
  select submission_key, 'artist', id from public.young_artist_entries
  union all
  select submission_key, kind, id from public.extra_files;
