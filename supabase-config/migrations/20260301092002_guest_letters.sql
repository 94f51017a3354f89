-- Who wrote what to which guest. Written by the server with the mail itself;
-- read by admins.

create table public.guest_letters (
  id         uuid not null default gen_random_uuid(),
  guest_id   uuid,
  guest_name text not null,
  email      text not null,
  subject    text not null,
  message    text not null,
  sent_by    uuid,
  sent_at    timestamptz not null default now(),
  constraint guest_letters_pkey primary key (id),
  constraint guest_letters_guest_id_fkey foreign key (guest_id) references public.invited_guests (id) on delete set null
);
create index guest_letters_guest_id_idx on public.guest_letters (guest_id, sent_at desc);
create index guest_letters_sent_at_idx on public.guest_letters (sent_at desc);

alter table public.guest_letters enable row level security;
revoke all on public.guest_letters from public, anon, authenticated;
grant select on public.guest_letters to authenticated;
create policy "Admins read the letters" on public.guest_letters for select to authenticated
  using ((select club.is_admin()));
create policy "A judge's token ends with the password" on public.guest_letters
  as restrictive for all to judge
  using ((select club.judge_is_current())) with check ((select club.judge_is_current()));
