create or replace function cloch.dblink_created() returns event_trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform cloch.close_dblink();
end;
$$;
revoke all on function cloch.dblink_created() from public;
