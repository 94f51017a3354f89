/** Facts about the club that several pages show. */
export const meeting = {
  day: 'every Thursday',
  time: '7pm',
  hours: 'Thursday 7pm–9pm',
  place: 'The golf club, Gourock, Scotland',
}

export interface NamedText {
  name: string
  text: string
}

export const reasonsToJoin: NamedText[] = [
  {
    name: 'Make a Real Difference',
    text: 'Projects you can walk past afterwards: a bench, a choir on a stage, a full food bank shelf.',
  },
  { name: 'Build Connections', text: 'People you would not have met otherwise, on first-name terms by the second Thursday.' },
  { name: 'Develop Skills', text: 'Speaking, organising, raising money, running an evening for two hundred people.' },
  { name: 'Global Impact', text: 'The same badge is worn in more than 200 countries, and what we raise travels with it.' },
]

export const memberExpectations: NamedText[] = [
  { name: 'Weekly Meetings', text: 'Every Thursday evening: company, a guest speaker, and the business of the club.' },
  { name: 'Community Projects', text: 'Hands-on work through the year. Give the hours you have.' },
  { name: 'Professional Development', text: 'Talks, training and people from other trades who will tell you how they do it.' },
  { name: 'Global Connection', text: 'A welcome at any club of the organisation, wherever you travel.' },
]

export const values: NamedText[] = [
  { name: 'Service', text: 'We ask what is needed before we decide what to do.' },
  { name: 'Fellowship', text: 'Friendship comes first; the work is easier for it.' },
  { name: 'Integrity', text: 'Every pound raised is accounted for in front of everybody.' },
  { name: 'Young people', text: 'Four awards a year, because this coast is theirs next.' },
]
