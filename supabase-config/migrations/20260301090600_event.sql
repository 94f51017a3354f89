-- What the event needs besides entries: entries on paper, judges, the checklist
-- and the guests.

create table public.offline_submissions (
  id         uuid not null default gen_random_uuid(),
  school_id  uuid not null,
  category   text not null,
  count      integer not null,
  notes      text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint offline_submissions_pkey primary key (id),
  constraint offline_submissions_school_id_category_key unique (school_id, category),
  constraint offline_submissions_school_id_fkey foreign key (school_id) references public.schools (id),
  constraint offline_category_is_known check (category in ('citizen', 'musician', 'photographer', 'artist')),
  constraint offline_count_is_not_negative check (count >= 0),
  constraint offline_notes_at_most_1000_characters check (char_length(notes) <= 1000)
);

create table public.judges (
  id         uuid not null default gen_random_uuid(),
  name       text not null,
  email      text,
  phone      text,
  notes      text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint judges_pkey primary key (id),
  constraint judge_name_1_to_200_characters check (char_length(name) <= 200 and name ~ '\S'),
  constraint judge_email_at_most_255_characters check (char_length(email) <= 255),
  constraint judge_email_is_an_address check (email = '' or email ~ '^[^\s@]+@[^\s@]+$'),
  constraint judge_phone_at_most_50_characters check (char_length(phone) <= 50),
  constraint judge_notes_at_most_1000_characters check (char_length(notes) <= 1000)
);
create index judges_name_idx on public.judges (name);

create table public.judge_categories (
  judge_id   uuid not null,
  category   text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint judge_categories_pkey primary key (judge_id, category),
  constraint judge_categories_judge_id_fkey
    foreign key (judge_id) references public.judges (id) on delete cascade,
  constraint judge_category_is_known check (category in ('photography', 'artist', 'music', 'singing'))
);

create table public.event_checklist_items (
  id           uuid not null default gen_random_uuid(),
  item_name    text not null,
  category     text,
  due_date     date,
  notes        text,
  is_completed boolean not null default false,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  constraint event_checklist_items_pkey primary key (id),
  constraint item_name_1_to_200_characters check (char_length(item_name) <= 200 and item_name ~ '\S'),
  constraint item_category_at_most_100_characters check (char_length(category) <= 100),
  constraint item_notes_at_most_1000_characters check (char_length(notes) <= 1000)
);
create index event_checklist_items_order_idx on public.event_checklist_items (is_completed, due_date);

create table public.invited_guests (
  id           uuid not null default gen_random_uuid(),
  name         text not null,
  email        text,
  phone        text,
  organization text,
  status       text not null default 'invited',
  notes        text,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  constraint invited_guests_pkey primary key (id),
  constraint guest_name_1_to_200_characters check (char_length(name) <= 200 and name ~ '\S'),
  constraint guest_email_at_most_255_characters check (char_length(email) <= 255),
  constraint guest_email_is_an_address check (email = '' or email ~ '^[^\s@]+@[^\s@]+$'),
  constraint guest_phone_at_most_50_characters check (char_length(phone) <= 50),
  constraint guest_organization_at_most_200_characters check (char_length(organization) <= 200),
  constraint guest_status_is_known check (status in ('invited', 'accepted', 'declined')),
  constraint guest_notes_at_most_1000_characters check (char_length(notes) <= 1000)
);
create index invited_guests_name_idx on public.invited_guests (name);
create index invited_guests_status_idx on public.invited_guests (status, name);

select club.register_table('public.offline_submissions');
select club.register_table('public.judges');
select club.register_table('public.judge_categories');
select club.register_table('public.event_checklist_items');
select club.register_table('public.invited_guests');
