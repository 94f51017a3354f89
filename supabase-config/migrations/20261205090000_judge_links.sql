-- A link for each judge, without an account. Its token is stored as a hash; the function open-judge-link exchanges it for a judge's token with the
-- claim judge_link. Such a token has no password_version, so the policies that end a judge's token with the password refuse it every table: what
-- a judge with a link may do is done by functions, and each of them asks whether the link still works.

-- Nominations can be judged too.
alter table public.judge_categories
  drop constraint judge_category_is_known,
  add constraint judge_category_is_known check (category in ('photography', 'artist', 'music', 'singing', 'citizen'));

-- What a judge of a category judges.
create view club.judged_sections with (security_invoker = true) as
  select * from (values
    ('citizen', 'citizen', 'individual', 1), ('citizen', 'citizen', 'group', 2),
    ('singing', 'musician', 'vocal', 3), ('music', 'musician', 'instrumental', 4),
    ('photography', 'photographer', 'intermediate', 5), ('photography', 'photographer', 'senior', 6),
    ('artist', 'artist', 'intermediate', 7), ('artist', 'artist', 'senior', 8)) as v (judge_category, award, category, position);

-- One link for a judge; a new one takes the place of the former. The row stays when the judge is deleted: the deletion can be undone for a moment.
create table club.judge_links (
  judge      uuid not null,
  id         uuid not null default gen_random_uuid(),
  token_hash bytea not null,
  created_by text,
  created_at timestamptz not null default now(),
  used_at    timestamptz,
  revoked_at timestamptz,
  revoked_by text,
  constraint judge_links_pkey primary key (judge),
  constraint judge_links_id_key unique (id),
  constraint judge_links_token_hash_key unique (token_hash)
);
alter table club.judge_links enable row level security;
create trigger tell_of_change after insert or update or delete on club.judge_links
  for each statement execute function club.tell_of_change('desk');

-- The links that work. A link ends with its season, after a year where there is no season, with its judge, and when an administrator revokes it.
create view club.working_judge_links with (security_invoker = true) as
  select l.id, l.judge, l.token_hash, j.name
    from club.judge_links as l
    join public.judges as j on j.id = l.judge
   where l.revoked_at is null and l.created_at >= club.season_begins_at() and l.created_at > now() - interval '1 year';

-- The judge whose link gave the token of this request; null for everybody else, and once the link has ended.
create function club.link_judge() returns uuid
language sql stable security definer set search_path = '' as $$
  select l.judge from club.working_judge_links as l where l.id::text = auth.jwt() ->> 'judge_link' and auth.role() = 'judge'
$$;
revoke execute on function club.link_judge() from public;
grant execute on function club.link_judge() to judge;

create function club.require_link_judge() returns uuid
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := club.link_judge();
begin
  if me is null then
    raise insufficient_privilege using message = 'This link has ended', hint = 'An administrator of the club can make a new one.';
  end if;
  return me;
end;
$$;
revoke execute on function club.require_link_judge() from public;

-- What this judge judges: the sections of the judge's categories, and none for a judge without a category.
create function club.sections_of(judge uuid) returns table (award text, category text, "position" integer)
language sql stable set search_path = '' as $$
  select distinct s.award, s.category, s.position
    from public.judge_categories as c
    join club.judged_sections as s on s.judge_category = c.category
   where c.judge_id = $1
$$;
revoke execute on function club.sections_of(uuid) from public;

-- For the server alone: the link that a token opens, and when it was used last.
create function club.open_judge_link(token text) returns table (link uuid, judge_name text)
language sql volatile set search_path = '' as $$
  update club.judge_links as l
     set used_at = now()
    from club.working_judge_links as w
   where w.id = l.id and token ~ '^[0-9a-f]{64}$' and l.token_hash = club.token_hash(token)
  returning l.id, w.name
$$;
revoke execute on function club.open_judge_link(text) from public;

-- Makes the link of a judge and ends the former one. Returns its token: 244 random bits, which nothing can show again.
create function public.make_judge_link(judge uuid) returns text
language plpgsql security definer set search_path = '' as $$
declare
  token text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
begin
  perform club.require_admin();
  if not exists (select from public.judges as j where j.id = make_judge_link.judge) then
    raise exception 'The judge does not exist any more';
  end if;
  -- What is left of judges who were deleted for good.
  delete from club.judge_links as l
   where l.created_at < now() - interval '1 day' and not exists (select from public.judges as j where j.id = l.judge);
  insert into club.judge_links as l (judge, token_hash, created_by)
  values (make_judge_link.judge, club.token_hash(token), auth.email())
  on conflict on constraint judge_links_pkey do update
    set id = gen_random_uuid(), token_hash = excluded.token_hash, created_by = excluded.created_by, created_at = now(),
        used_at = null, revoked_at = null, revoked_by = null;
  return token;
end;
$$;

-- Ends the link of a judge, and at once what was opened with it; false if it had ended already.
create function public.revoke_judge_link(judge uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform club.require_admin();
  update club.judge_links as l
     set revoked_at = now(), revoked_by = auth.email()
   where l.judge = revoke_judge_link.judge and l.revoked_at is null;
  return found;
end;
$$;
revoke execute on function public.make_judge_link(uuid), public.revoke_judge_link(uuid) from public;
grant execute on function public.make_judge_link(uuid), public.revoke_judge_link(uuid) to authenticated, service_role;
