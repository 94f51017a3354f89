-- Each stored message is sent to the private channel of its room: room:<id>.
create function public.broadcast_message() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform realtime.send(
    jsonb_build_object('id', new.id, 'nick', new.nick, 'body', new.body), 'message', 'room:' || new.room, true);
  return null;
end $$;
revoke execute on function public.broadcast_message from public, anon, authenticated;
create trigger broadcast_message after insert on public.messages for each row execute function public.broadcast_message();

-- Members may join the channel and be present there. Clients cannot send broadcasts: messages are inserted as rows, so that they are stored and
-- checked.
create function public.room_of(topic text) returns uuid
language sql immutable set search_path = ''
as $$ select case when topic ~ '^room:[0-9a-f-]{36}$' then substr(topic, 6)::uuid end $$;
create policy "members join" on realtime.messages for select to authenticated
  using (public.is_member(public.room_of((select realtime.topic()))));
create policy "members are present" on realtime.messages for insert to authenticated
  with check (extension = 'presence' and public.is_member(public.room_of((select realtime.topic()))));
