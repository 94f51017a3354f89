export type EventType = 'Annual Event' | 'Special Event' | 'Weekly'

export interface ClubEvent {
  /** Name in links: /events#slug. */
  slug: string
  title: string
  /** Free text, as it is read out. */
  date: string
  /** The date as the sailing board shows it: large, and the line beneath. */
  board: { large: string; small: string }
  time: string
  location: string
  description: string
  type: EventType
  featured: boolean
  rsvpEmail?: 'club'
  rsvpSubject?: string
  longDescription?: string
  images?: { src: string; alt: string }[]
}

export const events: ClubEvent[] = [
  {
    slug: 'youth-awards',
    title: 'Youth Awards',
    date: '13th November',
    board: { large: '13', small: 'November' },
    time: '6:30 PM',
    location: 'The arts centre',
    description:
      'Four awards, one evening: the ceremony for Young Citizen, Young Musician, Young Photographer and Young Artist. Family, friends and teachers are all welcome.',
    type: 'Annual Event',
    featured: true,
    longDescription:
      'The evening brings together everyone who entered: the musicians perform, the photographs and paintings hang in the foyer, and the citizens are thanked by the people they helped. Doors open before 6:30 PM; tickets come from the arts centre.',
  },
  {
    slug: 'weekly-guest-speakers',
    title: 'Weekly Guest Speakers',
    date: 'Every Thursday',
    board: { large: 'Thu', small: 'every week' },
    time: '7:00 PM',
    location: 'The golf club, Gourock',
    description: 'Good company and a talk. No booking: come as a visitor and see if it suits you.',
    type: 'Weekly',
    featured: false,
    longDescription:
      'Every Thursday somebody interesting stands up and tells us what they know. The schedule further down this page says who is coming. Visitors are welcome, and nobody will ask you to join before you have finished your tea.',
  },
  {
    slug: 'anniversary-cruise',
    title: '50th Anniversary Celebration (Queen Anne Cruise)',
    date: '9th October 2026',
    board: { large: '9', small: 'October 2026' },
    time: '4 nights / 5 days',
    location: 'Queen Anne',
    description:
      'Four nights and five days at sea to mark fifty years. £108 per person per night for an inside cabin, £120 per person per night with an ocean view. RSVP by 1 September.',
    type: 'Special Event',
    featured: false,
    rsvpEmail: 'club',
    rsvpSubject: 'RSVP – 50th Anniversary Celebration (Queen Anne Cruise)',
    longDescription:
      'We are celebrating our 50th anniversary aboard the Queen Anne, leaving on 9th October 2026. An inside cabin costs £108 per person per night and a cabin with an ocean view £120 per person per night, for four nights. Please let us know by 1 September whether you are coming.',
  },
  {
    slug: 'chartered-dinner',
    title: 'Chartered Rotary Dinner',
    date: '14th May 2026',
    board: { large: '14', small: 'May 2026' },
    time: '7:00 PM',
    location: 'The golf club, Gourock',
    description: 'The evening on which the club marks another year of service, with dinner, a toast and a few old stories.',
    type: 'Annual Event',
    featured: false,
  },
]

/** The events that the home page announces, in this order. */
export const upcoming = ['youth-awards', 'weekly-guest-speakers', 'anniversary-cruise']
