/** Entries with the values that visitors send. Each test changes the values that it checks. */

export const nomination = {
  nomination_type: 'individual',
  nominee_name: 'Niamh Docherty',
  nominee_age: 15,
  nominator_name: 'Janet Blair',
  nominator_email: 'janet.blair@example.org',
  parent_guardian_email: 'docherty.family@example.org',
  key_achievement: 'Ran the breakfast club for a winter.',
  community_impact: 'Sixty children ate before school.',
  why_deserving: 'Nobody asked her to.',
}

const entrant = {
  age: 13,
  parent_guardian_email: 'family@example.org',
  teacher_name: 'Mrs Blair',
  teacher_email: 'blair@example.org',
}

export const musician = {
  ...entrant,
  entrant_name: 'Rory Sinclair',
  category: 'instrumental',
  instrument: 'Fiddle',
  piece_title: 'Ae Fond Kiss',
  composer: 'Traditional',
}

export const photographer = {
  ...entrant,
  entrant_name: 'Struan Keith',
  category: 'Senior',
  photo_title: 'Low light, high tide',
  photo_description: 'The shore below the Cloch.',
  camera_equipment: 'Phone camera',
}

export const artist = {
  ...entrant,
  entrant_name: 'Isla McPhail',
  category: 'Intermediate',
  artwork_title: 'Daisies above the pool',
  medium: 'Acrylic on board',
  artwork_description: 'Where we sit after swimming.',
}

/** A PNG picture of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
