import { getContent, type Winner } from '@/lib/site-content'
import { season, type AwardSummary } from './awards'

/** A document or page outside the site. Its URL is in the project's settings. */
export interface AwardLink {
  text: string
  setting: 'musicianPackUrl' | 'photographerPackUrl' | 'photographerFormUrl' | 'ticketsUrl'
}

/** Texts of an award's page. They contain published content, so the content must be in the page before this module is loaded. */
export interface AwardPageContent {
  award: AwardSummary['award']
  title: string
  path: string
  /** Summary for search engines. */
  summary: string
  lede: string
  /** Paragraphs below the page's header. */
  description: string[]
  facts: { term: string; value: string }[]
  criteriaTitle: string
  criteria: { name: string; text: string }[]
  howTitle: string
  steps: string[]
  submit: string
  back: string
  formTitle: string
  winners: Winner[]
  links: AwardLink[]
  /** A link to the page of this site on which files can be sent later. */
  filesLink: { text: string; href: string }
  closing: string
}

const dates = [
  { term: 'Deadline', value: season.deadline },
  { term: 'Ceremony', value: season.ceremony },
]

export const citizenPage: AwardPageContent = {
  award: 'citizen',
  title: 'Young Citizen Awards',
  path: '/young-citizen',
  summary: `Nominate an individual or a group of young people who show positive citizenship in Gourock and along the Clyde coast. Nominations close on ${season.deadline}.`,
  lede: 'For individuals and groups under 25 who show positive citizenship. You see what they do: tell us about it.',
  description: [
    'The Young Citizen Award celebrates individuals and groups under 25 who show positive citizenship: people who help without being asked and make a place better for everybody in it.',
    'Nominations on this form are for young people aged 11 to 18, which is the age range of the competition we put our winners forward to. If you know somebody older, or younger, who should be thanked, please write to us: the under-25 spirit of the award is wider than the form.',
  ],
  facts: [{ term: 'Who', value: 'Individuals or groups' }, { term: 'Ages on this form', value: '11 to 18' }, ...dates],
  criteriaTitle: 'What we look for',
  criteria: [
    { name: 'Community Service', text: 'Time and effort given to other people, without a reward in mind.' },
    { name: 'Leadership', text: 'Starting something, or bringing others along.' },
    { name: 'Positive Impact', text: 'A difference that somebody else can describe.' },
    { name: 'Civic Engagement', text: 'Taking part in the life of a school, a street or a town.' },
  ],
  howTitle: 'How to Nominate',
  steps: [
    'Complete the form. It takes about ten minutes, and your answers are kept on your device until you send them.',
    'Give supporting evidence: a photograph, a letter or a newspaper page can go with the nomination.',
    `Submit by ${season.deadline}.`,
  ],
  submit: 'Submit a Nomination',
  back: 'Back to Young Citizen Awards',
  formTitle: 'Young Citizen nomination',
  winners: getContent().winners.citizen,
  links: [],
  filesLink: { text: 'Send more evidence later', href: '/awards-uploads' },
  closing: 'Somebody came to mind while you were reading. Put their name forward.',
}

export const musicianPage: AwardPageContent = {
  award: 'musician',
  title: 'Young Musician Awards',
  path: '/young-musician',
  summary: `A competition for singers and players aged 11 to 18 in Gourock and along the Clyde coast. Up to three pieces of your own choosing; entries close on ${season.deadline}.`,
  lede: 'For singers and players aged 11 to 18. Bring up to three pieces and let the Clyde coast hear you.',
  description: [
    'There are two classes, vocal and instrumental, and every style is welcome. You choose the music; the judges listen for how you make it your own.',
  ],
  facts: [{ term: 'Who', value: 'Ages 11 to 18' }, { term: 'Age counted on', value: season.ageDate }, ...dates],
  criteriaTitle: 'What the judges listen for',
  criteria: [
    { name: 'Musical Excellence', text: 'Tone, accuracy and a feel for the style of the piece.' },
    { name: 'Community Engagement', text: 'Playing with and for other people: school, band, choir, street, hall.' },
    { name: 'Dedication & Practice', text: 'The hours nobody sees, and how they show.' },
    { name: 'Performance Achievement', text: 'How you hold a room from the first bar to the last.' },
  ],
  howTitle: 'How to enter',
  steps: [
    'Read the information pack with a parent or guardian.',
    'Fill in the form together. Recordings of up to 10 MB each can go with it, or later.',
    `Submit by ${season.deadline}.`,
  ],
  submit: 'Submit an Entry',
  back: 'Back to Young Musician Awards',
  formTitle: 'Young Musician entry',
  winners: getContent().winners.musician,
  links: [{ text: 'Information pack (PDF)', setting: 'musicianPackUrl' }],
  filesLink: { text: 'Upload music files', href: '/upload-music' },
  closing: 'You have been practising anyway. Come and play it to us.',
}

export const photographerPage: AwardPageContent = {
  award: 'photographer',
  title: 'Young Photographer Awards',
  path: '/young-photographer',
  summary: `A competition for photographers aged 11 to 17 in Gourock and along the Clyde coast, in two age groups. Entries close on ${season.deadline}.`,
  lede: 'For photographers aged 11 to 17, with any camera, a phone included. One view, well seen.',
  description: [
    'There are two age groups: intermediate, 11 to 13, and senior, 14 to 17. What you use to take the picture matters less than why you took it.',
  ],
  facts: [{ term: 'Who', value: 'Ages 11 to 17' }, { term: 'Age counted on', value: season.ageDate }, ...dates],
  criteriaTitle: 'What the judges look for',
  criteria: [
    { name: 'Technical Skill', text: 'Focus, light and framing that serve the picture.' },
    { name: 'Creative Vision', text: 'Seeing something that everybody else walked past.' },
    { name: 'Portfolio Quality', text: 'Care in choosing, from the first shot to the last edit.' },
    { name: 'Recognition & Impact', text: 'A picture that stays with the person who looks at it.' },
  ],
  howTitle: 'How to enter',
  steps: [
    'Read the information pack with a parent or guardian.',
    'Fill in the form and add your picture, or print the paper form and send it in.',
    `Submit by ${season.deadline}.`,
  ],
  submit: 'Submit Nomination',
  back: 'Back to Young Photographer Awards',
  formTitle: 'Young Photographer entry',
  winners: getContent().winners.photographer,
  links: [
    { text: 'Information pack (PDF)', setting: 'photographerPackUrl' },
    { text: 'Printable form (PDF)', setting: 'photographerFormUrl' },
  ],
  filesLink: { text: 'Send more files later', href: '/awards-uploads' },
  closing: 'The light on the Firth will not wait. Your picture can.',
}

export const artistPage: AwardPageContent = {
  award: 'artist',
  title: 'Young Artist Awards',
  path: '/young-artist',
  summary: `A competition for artists aged 5 to 17 in Gourock and along the Clyde coast. This year’s theme is ${season.theme}; entries close on ${season.deadline}.`,
  lede: `For artists aged 5 to 17. This year’s theme is “${season.theme}”.`,
  description: [
    'Paint, draw, print, collage or model: anything made by your own hand counts. There are three age groups, junior, intermediate and senior, and each has its own prize.',
  ],
  facts: [{ term: 'Who', value: 'Ages 5 to 17' }, { term: 'Theme', value: season.theme }, ...dates],
  criteriaTitle: 'What the judges look for',
  criteria: [
    { name: 'Creativity', text: 'An idea of your own, followed where it leads.' },
    { name: 'Technique', text: 'How you handle what you work with, at your age.' },
    { name: 'Theme', text: 'How your work speaks of it.' },
    { name: 'Expression', text: 'What somebody feels who stands in front of it.' },
  ],
  howTitle: 'How to enter',
  steps: [
    `Make your work on the theme “${season.theme}”.`,
    'Fill in the form with a parent, guardian or teacher and add a photograph of it.',
    `Submit by ${season.deadline}.`,
  ],
  submit: 'Submit Nomination',
  back: 'Back to Young Artist Awards',
  formTitle: 'Young Artist entry',
  winners: getContent().winners.artist,
  links: [],
  filesLink: { text: 'Send more files later', href: '/awards-uploads' },
  closing: 'Paint what made you happy outdoors. We would like to see it.',
}
