/** Facts about the club that several pages tell. */
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

export const globalFigures = [
  { figure: '1.2 million', text: 'members worldwide' },
  { figure: '47 million', text: 'volunteer hours a year' },
  { figure: '$291 million', text: 'funding in 2023–24' },
  { figure: '200+', text: 'countries' },
]

export const region =
  'The club belongs to the organisation’s region for Scotland, where clubs from the Borders to the islands share their projects, put their young winners forward to district and national finals, and visit one another.'

/** Corporate membership. */
export const corporateBenefits: NamedText[] = [
  { name: 'One membership, several people', text: 'Colleagues take turns at the meetings; the seat is the company’s.' },
  {
    name: 'Known where you work',
    text: 'Your name on the programme of the awards evening, and at the projects you help with.',
  },
  {
    name: 'A project of your own',
    text: 'Bring an idea and a team for a day: we bring the experience, the insurance and the tea.',
  },
  { name: 'People worth knowing', text: 'A room of local business, public service and charity, every week of the year.' },
]

export const corporateProjects: NamedText[] = [
  { name: 'Youth Awards Evening', text: 'Sponsor one of the four awards, or lend a hand on the night.' },
  { name: 'Community days', text: 'A garden, a hall or a shoreline put right by lunchtime.' },
  { name: 'Fundraising', text: 'Past seasons have raised £7,000 and £7,500 for local causes.' },
]

export const corporateSteps = [
  'Send the enquiry form, or come to a Thursday as our guest.',
  'We visit you, explain what membership costs and asks, and listen to what you hope for.',
  'Choose who comes, and start on any Thursday.',
]
