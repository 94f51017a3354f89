-- The schools that take part, their departments, the people there, and what was
-- said with them.

create table public.schools (
  id         uuid not null default gen_random_uuid(),
  name       text not null,
  location   text,
  phone      text,
  email      text,
  notes      text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint schools_pkey primary key (id),
  constraint school_name_1_to_200_characters check (char_length(name) <= 200 and name ~ '\S'),
  constraint school_location_at_most_200_characters check (char_length(location) <= 200),
  constraint school_phone_at_most_50_characters check (char_length(phone) <= 50),
  constraint school_email_at_most_255_characters check (char_length(email) <= 255),
  constraint school_email_is_an_address check (email = '' or email ~ '^[^\s@]+@[^\s@]+$'),
  constraint school_notes_at_most_1000_characters check (char_length(notes) <= 1000)
);
create index schools_name_idx on public.schools (name);

create table public.departments (
  id         uuid not null default gen_random_uuid(),
  school_id  uuid not null,
  name       text not null,
  notes      text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint departments_pkey primary key (id),
  constraint departments_school_id_fkey foreign key (school_id) references public.schools (id),
  constraint department_name_1_to_200_characters check (char_length(name) <= 200 and name ~ '\S'),
  constraint department_notes_at_most_1000_characters check (char_length(notes) <= 1000)
);
create index departments_school_id_idx on public.departments (school_id);
create index departments_name_idx on public.departments (name);

create table public.contacts (
  id            uuid not null default gen_random_uuid(),
  -- The first department chosen; all of them are in contact_departments.
  department_id uuid,
  name          text not null,
  email         text,
  phone         text,
  position      text,
  status        text not null default 'not_contacted',
  notes         text,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  constraint contacts_pkey primary key (id),
  constraint contacts_department_id_fkey foreign key (department_id) references public.departments (id),
  constraint contact_name_1_to_200_characters check (char_length(name) <= 200 and name ~ '\S'),
  constraint contact_email_at_most_255_characters check (char_length(email) <= 255),
  constraint contact_email_is_an_address check (email = '' or email ~ '^[^\s@]+@[^\s@]+$'),
  constraint contact_phone_at_most_50_characters check (char_length(phone) <= 50),
  constraint contact_position_at_most_100_characters check (char_length(position) <= 100),
  constraint contact_status_is_known check (status in (
    'not_contacted', 'initial_contact', 'follow_up_sent', 'confirmed_participation',
    'declined', 'no_response', 'ready_for_collection')),
  constraint contact_notes_at_most_1000_characters check (char_length(notes) <= 1000)
);
create index contacts_department_id_idx on public.contacts (department_id);
create index contacts_name_idx on public.contacts (name);
create index contacts_status_idx on public.contacts (status);

create table public.contact_departments (
  contact_id    uuid not null,
  department_id uuid not null,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  constraint contact_departments_pkey primary key (contact_id, department_id),
  constraint contact_departments_contact_id_fkey
    foreign key (contact_id) references public.contacts (id) on delete cascade,
  constraint contact_departments_department_id_fkey
    foreign key (department_id) references public.departments (id)
);
create index contact_departments_department_id_idx on public.contact_departments (department_id);

create table public.interactions (
  id          uuid not null default gen_random_uuid(),
  contact_id  uuid not null,
  kind        text not null default 'note',
  notes       text,
  happened_at timestamptz not null default now(),
  created_by  uuid default auth.uid(),
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now(),
  constraint interactions_pkey primary key (id),
  constraint interactions_contact_id_fkey
    foreign key (contact_id) references public.contacts (id) on delete cascade,
  constraint interactions_created_by_fkey
    foreign key (created_by) references auth.users (id) on delete set null,
  constraint interaction_kind_is_known check (kind in ('note', 'email', 'phone', 'visit')),
  constraint interaction_notes_at_most_1000_characters check (char_length(notes) <= 1000)
);
create index interactions_contact_id_idx on public.interactions (contact_id, happened_at desc);

select club.register_table('public.schools');
select club.register_table('public.departments');
select club.register_table('public.contacts');
select club.register_table('public.contact_departments');
select club.register_table('public.interactions');
