-- The nomination form asks for no consent to publicity. An administrator records it when the family has given it: without it, a nominee is
-- named neither in the printed programme nor on the website.

alter table public.young_citizen_nominations
  add column publicity_consent text,
  add constraint publicity_consent_is_agree_or_disagree check (publicity_consent in ('agree', 'disagree'));
