-- Entries to the four awards. A visitor's form fills most columns; school_id, the
-- rankings and the stamps are the club's.
--
-- submission_key is made by the form, once for each time it is filled in: a
-- second click or a retry meets the unique constraint and makes no second entry.

-- Paths as the object store keeps them: nothing that climbs or is empty.
create function club.are_object_paths(paths text[]) returns boolean
language sql immutable set search_path = '' as $$
  select coalesce(bool_and(
           p is not null and p <> '' and char_length(p) <= 1024
           and p !~ '(^|/)\.{0,2}(/|$)' and p !~ '[[:cntrl:]]'), true)
    from unnest(paths) as p
$$;
-- A check constraint runs with the rights of whoever inserts.
grant usage on schema club to anon;
grant execute on function club.are_object_paths(text[]) to anon, authenticated, judge, service_role;

create table public.young_citizen_nominations (
  id                     uuid not null default gen_random_uuid(),
  nomination_type        text not null,
  nominee_name           text not null,
  nominee_age            integer not null,
  nominee_email          text,
  nominee_phone          text,
  parent_guardian_email  text not null,
  parent_guardian_phone  text,
  nominator_name         text not null,
  nominator_email        text not null,
  nominator_phone        text,
  nominator_relationship text,
  key_achievement        text not null,
  community_impact       text,
  why_deserving          text not null,
  uploaded_files         text[] default '{}',
  school_id              uuid,
  submission_key         uuid not null default gen_random_uuid(),
  created_at             timestamptz not null default now(),
  updated_at             timestamptz not null default now(),
  constraint young_citizen_nominations_pkey primary key (id),
  constraint young_citizen_nominations_submission_key_key unique (submission_key),
  constraint young_citizen_nominations_school_id_fkey foreign key (school_id) references public.schools (id) on delete set null,
  constraint nomination_type_is_individual_or_group check (nomination_type in ('individual', 'group')),
  constraint nominee_name_1_to_200_characters check (char_length(nominee_name) <= 200 and nominee_name ~ '\S'),
  constraint nominee_age_11_to_18 check (nominee_age between 11 and 18),
  constraint nominee_email_at_most_255_characters check (char_length(nominee_email) <= 255),
  constraint nominee_email_is_an_address check (nominee_email = '' or nominee_email ~ '^[^\s@]+@[^\s@]+$'),
  constraint nominee_phone_at_most_50_characters check (char_length(nominee_phone) <= 50),
  constraint parent_guardian_email_at_most_255_characters check (char_length(parent_guardian_email) <= 255),
  constraint parent_guardian_email_is_an_address check (parent_guardian_email ~ '^[^\s@]+@[^\s@]+$'),
  constraint parent_guardian_phone_at_most_50_characters check (char_length(parent_guardian_phone) <= 50),
  constraint nominator_name_1_to_200_characters check (char_length(nominator_name) <= 200 and nominator_name ~ '\S'),
  constraint nominator_email_at_most_255_characters check (char_length(nominator_email) <= 255),
  constraint nominator_email_is_an_address check (nominator_email ~ '^[^\s@]+@[^\s@]+$'),
  constraint nominator_phone_at_most_50_characters check (char_length(nominator_phone) <= 50),
  constraint nominator_relationship_at_most_200_characters check (char_length(nominator_relationship) <= 200),
  constraint key_achievement_1_to_10000_characters check (char_length(key_achievement) <= 10000 and key_achievement ~ '\S'),
  constraint community_impact_at_most_10000_characters check (char_length(community_impact) <= 10000),
  constraint why_deserving_1_to_10000_characters check (char_length(why_deserving) <= 10000 and why_deserving ~ '\S'),
  constraint uploaded_files_at_most_50 check (cardinality(uploaded_files) <= 50),
  constraint uploaded_files_are_paths check (club.are_object_paths(uploaded_files))
);

create table public.young_musician_entries (
  id                    uuid not null default gen_random_uuid(),
  entrant_name          text not null,
  age                   integer not null,
  email                 text,
  phone                 text,
  school                text,
  category              text not null,
  instrument            text,
  teacher_name          text,
  teacher_position      text,
  teacher_email         text,
  teacher_phone         text,
  parent_guardian_name  text,
  parent_guardian_email text not null,
  parent_guardian_phone text,
  piece_title           text,
  composer              text,
  piece_duration        text,
  music_selections      text[] default '{}',
  accompanist_required  boolean not null default false,
  accompanist_name      text,
  special_requirements  text,
  publicity_consent     text,
  signature             text,
  uploaded_files        text[] default '{}',
  school_id             uuid,
  submission_key        uuid not null default gen_random_uuid(),
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  constraint young_musician_entries_pkey primary key (id),
  constraint young_musician_entries_submission_key_key unique (submission_key),
  constraint young_musician_entries_school_id_fkey foreign key (school_id) references public.schools (id) on delete set null,
  constraint entrant_name_1_to_200_characters check (char_length(entrant_name) <= 200 and entrant_name ~ '\S'),
  constraint age_11_to_18 check (age between 11 and 18),
  constraint email_at_most_255_characters check (char_length(email) <= 255),
  constraint email_is_an_address check (email = '' or email ~ '^[^\s@]+@[^\s@]+$'),
  constraint phone_at_most_50_characters check (char_length(phone) <= 50),
  constraint school_at_most_200_characters check (char_length(school) <= 200),
  constraint category_is_vocal_or_instrumental check (category ~* '(vocal|instrumental)' and char_length(category) <= 50),
  constraint instrument_at_most_200_characters check (char_length(instrument) <= 200),
  constraint teacher_name_at_most_200_characters check (char_length(teacher_name) <= 200),
  constraint teacher_position_at_most_200_characters check (char_length(teacher_position) <= 200),
  constraint teacher_email_at_most_255_characters check (char_length(teacher_email) <= 255),
  constraint teacher_email_is_an_address check (teacher_email = '' or teacher_email ~ '^[^\s@]+@[^\s@]+$'),
  constraint teacher_phone_at_most_50_characters check (char_length(teacher_phone) <= 50),
  constraint parent_guardian_name_at_most_200_characters check (char_length(parent_guardian_name) <= 200),
  constraint parent_guardian_email_at_most_255_characters check (char_length(parent_guardian_email) <= 255),
  constraint parent_guardian_email_is_an_address check (parent_guardian_email ~ '^[^\s@]+@[^\s@]+$'),
  constraint parent_guardian_phone_at_most_50_characters check (char_length(parent_guardian_phone) <= 50),
  constraint piece_title_at_most_2000_characters check (char_length(piece_title) <= 2000),
  constraint composer_at_most_500_characters check (char_length(composer) <= 500),
  constraint piece_duration_at_most_100_characters check (char_length(piece_duration) <= 100),
  constraint music_selections_at_most_3 check (cardinality(music_selections) <= 3),
  constraint music_selections_at_most_2000_characters check (char_length(array_to_string(music_selections, '')) <= 2000),
  constraint accompanist_name_at_most_200_characters check (char_length(accompanist_name) <= 200),
  constraint special_requirements_at_most_5000_characters check (char_length(special_requirements) <= 5000),
  constraint publicity_consent_is_agree_or_disagree check (publicity_consent in ('agree', 'disagree')),
  constraint signature_at_most_200_characters check (char_length(signature) <= 200),
  constraint uploaded_files_at_most_50 check (cardinality(uploaded_files) <= 50),
  constraint uploaded_files_are_paths check (club.are_object_paths(uploaded_files))
);

create table public.young_photographer_entries (
  id                    uuid not null default gen_random_uuid(),
  entrant_name          text not null,
  age                   integer not null,
  preferred_pronoun     text,
  email                 text,
  phone                 text,
  school                text,
  teacher_name          text,
  teacher_email         text,
  teacher_phone         text,
  parent_guardian_name  text,
  parent_guardian_email text not null,
  parent_guardian_phone text,
  category              text not null,
  photo_title           text,
  photo_description     text,
  location_taken        text,
  camera_equipment      text,
  auxiliary_lens_used   text,
  image_edited          text,
  publicity_consent     text,
  uploaded_files        text[] default '{}',
  school_id             uuid,
  junior_ranking        smallint,
  senior_ranking        smallint,
  ranking_conflict      boolean not null default false,
  submission_key        uuid not null default gen_random_uuid(),
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  constraint young_photographer_entries_pkey primary key (id),
  constraint young_photographer_entries_submission_key_key unique (submission_key),
  constraint young_photographer_entries_school_id_fkey foreign key (school_id) references public.schools (id) on delete set null,
  constraint entrant_name_1_to_200_characters check (char_length(entrant_name) <= 200 and entrant_name ~ '\S'),
  constraint age_11_to_17 check (age between 11 and 17),
  constraint preferred_pronoun_at_most_50_characters check (char_length(preferred_pronoun) <= 50),
  constraint email_at_most_255_characters check (char_length(email) <= 255),
  constraint email_is_an_address check (email = '' or email ~ '^[^\s@]+@[^\s@]+$'),
  constraint phone_at_most_50_characters check (char_length(phone) <= 50),
  constraint school_at_most_200_characters check (char_length(school) <= 200),
  constraint teacher_name_at_most_200_characters check (char_length(teacher_name) <= 200),
  constraint teacher_email_at_most_255_characters check (char_length(teacher_email) <= 255),
  constraint teacher_email_is_an_address check (teacher_email = '' or teacher_email ~ '^[^\s@]+@[^\s@]+$'),
  constraint teacher_phone_at_most_50_characters check (char_length(teacher_phone) <= 50),
  constraint parent_guardian_name_at_most_200_characters check (char_length(parent_guardian_name) <= 200),
  constraint parent_guardian_email_at_most_255_characters check (char_length(parent_guardian_email) <= 255),
  constraint parent_guardian_email_is_an_address check (parent_guardian_email ~ '^[^\s@]+@[^\s@]+$'),
  constraint parent_guardian_phone_at_most_50_characters check (char_length(parent_guardian_phone) <= 50),
  constraint category_is_intermediate_or_senior check (lower(category) in ('intermediate', 'senior')),
  constraint photo_title_at_most_200_characters check (char_length(photo_title) <= 200),
  constraint photo_description_at_most_5000_characters check (char_length(photo_description) <= 5000),
  constraint location_taken_at_most_200_characters check (char_length(location_taken) <= 200),
  constraint camera_equipment_at_most_500_characters check (char_length(camera_equipment) <= 500),
  constraint auxiliary_lens_used_is_yes_or_no check (auxiliary_lens_used in ('yes', 'no')),
  constraint image_edited_is_yes_or_no check (image_edited in ('yes', 'no')),
  constraint publicity_consent_is_agree_or_disagree check (publicity_consent in ('agree', 'disagree')),
  constraint uploaded_files_at_most_50 check (cardinality(uploaded_files) <= 50),
  constraint uploaded_files_are_paths check (club.are_object_paths(uploaded_files)),
  constraint junior_ranking_1_to_3 check (junior_ranking between 1 and 3),
  constraint senior_ranking_1_to_3 check (senior_ranking between 1 and 3),
  constraint junior_ranking_is_for_intermediate check (junior_ranking is null or lower(category) = 'intermediate'),
  constraint senior_ranking_is_for_senior check (senior_ranking is null or lower(category) = 'senior')
);

create table public.young_artist_entries (
  id                    uuid not null default gen_random_uuid(),
  entrant_name          text not null,
  age                   integer not null,
  preferred_pronoun     text,
  email                 text,
  phone                 text,
  school                text,
  teacher_name          text,
  teacher_email         text,
  teacher_phone         text,
  parent_guardian_name  text,
  parent_guardian_email text not null,
  parent_guardian_phone text,
  category              text not null,
  artwork_title         text,
  medium                text,
  artwork_description   text,
  inspiration           text,
  publicity_consent     text,
  uploaded_files        text[] default '{}',
  school_id             uuid,
  junior_ranking        smallint,
  senior_ranking        smallint,
  ranking_conflict      boolean not null default false,
  submission_key        uuid not null default gen_random_uuid(),
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  constraint young_artist_entries_pkey primary key (id),
  constraint young_artist_entries_submission_key_key unique (submission_key),
  constraint young_artist_entries_school_id_fkey foreign key (school_id) references public.schools (id) on delete set null,
  constraint entrant_name_1_to_200_characters check (char_length(entrant_name) <= 200 and entrant_name ~ '\S'),
  constraint age_5_to_17 check (age between 5 and 17),
  constraint preferred_pronoun_at_most_50_characters check (char_length(preferred_pronoun) <= 50),
  constraint email_at_most_255_characters check (char_length(email) <= 255),
  constraint email_is_an_address check (email = '' or email ~ '^[^\s@]+@[^\s@]+$'),
  constraint phone_at_most_50_characters check (char_length(phone) <= 50),
  constraint school_at_most_200_characters check (char_length(school) <= 200),
  constraint teacher_name_at_most_200_characters check (char_length(teacher_name) <= 200),
  constraint teacher_email_at_most_255_characters check (char_length(teacher_email) <= 255),
  constraint teacher_email_is_an_address check (teacher_email = '' or teacher_email ~ '^[^\s@]+@[^\s@]+$'),
  constraint teacher_phone_at_most_50_characters check (char_length(teacher_phone) <= 50),
  constraint parent_guardian_name_at_most_200_characters check (char_length(parent_guardian_name) <= 200),
  constraint parent_guardian_email_at_most_255_characters check (char_length(parent_guardian_email) <= 255),
  constraint parent_guardian_email_is_an_address check (parent_guardian_email ~ '^[^\s@]+@[^\s@]+$'),
  constraint parent_guardian_phone_at_most_50_characters check (char_length(parent_guardian_phone) <= 50),
  constraint category_is_junior_intermediate_or_senior check (lower(category) in ('junior', 'intermediate', 'senior')),
  constraint artwork_title_at_most_200_characters check (char_length(artwork_title) <= 200),
  constraint medium_at_most_200_characters check (char_length(medium) <= 200),
  constraint artwork_description_at_most_5000_characters check (char_length(artwork_description) <= 5000),
  constraint inspiration_at_most_5000_characters check (char_length(inspiration) <= 5000),
  constraint publicity_consent_is_agree_or_disagree check (publicity_consent in ('agree', 'disagree')),
  constraint uploaded_files_at_most_50 check (cardinality(uploaded_files) <= 50),
  constraint uploaded_files_are_paths check (club.are_object_paths(uploaded_files)),
  constraint junior_ranking_1_to_3 check (junior_ranking between 1 and 3),
  constraint senior_ranking_1_to_3 check (senior_ranking between 1 and 3),
  constraint junior_ranking_is_for_intermediate check (junior_ranking is null or lower(category) = 'intermediate'),
  constraint senior_ranking_is_for_senior check (senior_ranking is null or lower(category) = 'senior')
);

select club.register_table('public.young_citizen_nominations');
create index young_citizen_nominations_created_at_idx on public.young_citizen_nominations (created_at desc);
create index young_citizen_nominations_school_id_idx on public.young_citizen_nominations (school_id);
create index young_citizen_nominations_uploaded_files_idx on public.young_citizen_nominations using gin (uploaded_files);

select club.register_table('public.young_musician_entries');
create index young_musician_entries_created_at_idx on public.young_musician_entries (created_at desc);
create index young_musician_entries_school_id_idx on public.young_musician_entries (school_id);
create index young_musician_entries_uploaded_files_idx on public.young_musician_entries using gin (uploaded_files);

select club.register_table('public.young_photographer_entries');
create index young_photographer_entries_created_at_idx on public.young_photographer_entries (created_at desc);
create index young_photographer_entries_school_id_idx on public.young_photographer_entries (school_id);
create index young_photographer_entries_uploaded_files_idx on public.young_photographer_entries using gin (uploaded_files);

select club.register_table('public.young_artist_entries');
create index young_artist_entries_created_at_idx on public.young_artist_entries (created_at desc);
create index young_artist_entries_school_id_idx on public.young_artist_entries (school_id);
create index young_artist_entries_uploaded_files_idx on public.young_artist_entries using gin (uploaded_files);

-- The judging portal reads by category, oldest first; the names are compared
-- without case.
create index young_photographer_entries_category_idx
  on public.young_photographer_entries (lower(category), created_at);
create index young_artist_entries_category_idx
  on public.young_artist_entries (lower(category), created_at);

comment on column public.young_photographer_entries.ranking_conflict is 'A judge said: I know this entrant.';
comment on column public.young_artist_entries.ranking_conflict is 'A judge said: I know this entrant.';
