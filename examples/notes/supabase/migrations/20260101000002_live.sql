alter publication supabase_realtime add table public.notes;
