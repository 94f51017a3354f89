-- The privacy page tells until when the data of each season is kept: what the
-- dashboard itself goes by, so it is true without being written twice.

create function club.retention() returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object(
           'season', s.name,
           'event', to_char(s.event_on, 'FMDD FMMonth YYYY'),
           'due', to_char(s.due_on, 'FMDD FMMonth YYYY'),
           'deleted', to_char(s.deleted_at at time zone 'Europe/London', 'FMDD FMMonth YYYY')) order by s.event_on desc), '[]')
    from (select * from public.seasons order by event_on desc limit 3) as s
$$;

create or replace function public.published_content() returns jsonb
language sql stable security definer set search_path = '' as $$
  select club.shown_content(p.content, club.today()) || jsonb_build_object('retention', club.retention())
    from public.site_publications as p
   order by p.created_at desc
   limit 1
$$;

create or replace function public.draft_content() returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  perform club.require_admin();
  return club.shown_content(club.site_draft(), club.today()) || jsonb_build_object('retention', club.retention());
end;
$$;

grant execute on function club.retention() to authenticated, service_role;
