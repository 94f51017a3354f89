-- What the dashboard and the judging portal follow live. Row security decides
-- who is told of a change.
alter publication supabase_realtime add table
  public.young_citizen_nominations,
  public.young_musician_entries,
  public.young_photographer_entries,
  public.young_artist_entries,
  public.offline_submissions,
  public.event_checklist_items,
  public.invited_guests;
