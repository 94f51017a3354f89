-- Returns the mails that contain every text in `phrases`. The subject, the text and the recipients are searched. Case and differences in
-- white space are ignored. If there are no phrases, or one of them is empty, no mail is found.
--
-- A project can use the function to delete the mails about a person. The result contains purpose, state, user and time of the mails, not
-- their content. Callable by the project's owner; runs with the rights of the function's owner, who may read the content.
create or replace function cloch.mails_about(phrases text[])
returns table (id uuid, kind text, state text, requested_by uuid, created_at timestamptz)
language sql stable security definer set search_path = 'pg_catalog', 'pg_temp' as $$
  select m.id, m.kind, m.state, m.requested_by, m.created_at
    from cloch.mail_outbox as m
   cross join lateral (
     select lower(regexp_replace(concat_ws(' ', m.subject, m.body_text, array_to_string(m.recipients, ' ')), '\s+', ' ', 'g'))
            as words) as t
   where cardinality(phrases) > 0
     and not exists (
       select from unnest(phrases) as phrase
        where btrim(coalesce(phrase, '')) = ''
           or position(lower(regexp_replace(btrim(phrase), '\s+', ' ', 'g')) in t.words) = 0)
$$;
revoke all on function cloch.mails_about(text[]) from public;
do $$
begin
  execute format('grant execute on function cloch.mails_about(text[]) to %I', cloch.project_owner());
end;
$$;
