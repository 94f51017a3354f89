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

select club.register_table('public.guest_letters', read_only_policy => 'Admins read the letters');
