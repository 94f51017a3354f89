/** The steps that fill in each form of the visitors' site, in the order of the form's questions. */

import { signed } from './signatures.ts'

export type Step =
  | { field: string; type: string }
  /** One option of a group of radio buttons. */
  | { group: string; choose: string }
  /** The button that opens the file chooser. */
  | { button: string; file: { name: string; mimeType: string; buffer: Buffer } }

export interface Form {
  name: string
  path: string
  /** The button of the information view that opens the form. */
  open?: string
  submit: string
  steps: Step[]
  /** The text that the page shows after the form was sent. */
  done: string
}

const text = (field: string, type: string): Step => ({ field, type })
const pick = (group: string, choose: string): Step => ({ group, choose })
const attach = (button: string, name: string, mimeType: string): Step => ({
  button,
  file: { name, mimeType, buffer: signed(mimeType, Buffer.from(`these are the bytes of ${name}`)) },
})
const writing = [text('Name', 'Ailsa Sample'), text('E-mail', 'ailsa@example.org'), text('Message', 'May I come on Thursday?')]

export const forms: Form[] = [
  { name: 'Contact Us Form', path: '/contact', submit: 'Submit Form', steps: writing, done: 'Message Sent!' },
  { name: 'Get Involved Form', path: '/get-involved', submit: 'Submit Form', steps: writing, done: 'Message Sent!' },
  {
    name: 'Corporate membership enquiry',
    path: '/corporate-membership',
    submit: 'Send Enquiry',
    steps: [
      text('Company', 'Sample Ltd'),
      text('Contact name', 'Ailsa Sample'),
      text('E-mail', 'ailsa@example.org'),
      text('How many people would join (optional)', '3'),
      text('Message', 'Tell us more.'),
    ],
    done: 'Message Sent!',
  },
  {
    name: 'Young Citizen nomination',
    path: '/young-citizen',
    open: 'Submit a Nomination',
    submit: 'Submit Nomination',
    steps: [
      pick('Nomination Type', 'Group'),
      text('Name of the group', 'A Sample Group'),
      text('Age of the oldest member', '16'),
      text('Parent or guardian’s e-mail', 'parent@example.org'),
      text('Your name', 'Morag Sample'),
      text('Your e-mail', 'morag@example.org'),
      text('Key achievement', 'Ran the beach clean.'),
      text('Why the group deserves the award', 'Nobody asked them to.'),
      attach('Choose files', 'letter.txt', 'text/plain'),
    ],
    done: 'Nomination Submitted!',
  },
  {
    name: 'Young Musician entry',
    path: '/young-musician',
    open: 'Submit an Entry',
    submit: 'Submit Application',
    steps: [
      text('Full name', 'Rory Sample'),
      text('Age', '14'),
      text('School', 'Sample High School'),
      pick('Performance type', 'Instrumental'),
      text('Instrument', 'Fiddle'),
      text('First piece', 'Air by A. Composer'),
      text('Parent or guardian’s e-mail', 'parent@example.org'),
      text('Parent or guardian’s telephone', '01475 000000'),
      attach('Choose files', 'take.mp3', 'audio/mpeg'),
      pick('Name and picture in publicity', 'Disagree'),
      text('Signature', 'P. Sample'),
    ],
    done: 'Entry submitted!',
  },
  {
    name: 'Young Photographer entry',
    path: '/young-photographer',
    open: 'Submit Nomination',
    submit: 'Submit Entry',
    steps: [
      text('Entrant’s full name', 'Isla Sample'),
      text('Age', '13'),
      pick('Preferred pronouns', 'they/them'),
      text('School, college or community organisation', 'Sample Academy'),
      pick('Category', 'Intermediate, 11 to 13'),
      text('Camera or device', 'Old phone'),
      pick('Did you use an auxiliary lens or filters?', 'No'),
      pick('Has the image been edited with software?', 'Yes'),
      text('How the picture relates to the theme', 'The pier in the rain.'),
      attach('Choose files', 'pier.jpg', 'image/jpeg'),
      text('Nominator’s name', 'Ms Teacher'),
      text('Nominator’s e-mail', 'teacher@example.org'),
      text('Parent or guardian’s e-mail', 'parent@example.org'),
      text('Parent or guardian’s phone', '01475 000000'),
      pick('Name and picture in publicity', 'Agree'),
    ],
    done: 'Entry Submitted Successfully',
  },
  {
    name: 'Young Artist entry',
    path: '/young-artist',
    open: 'Submit Nomination',
    submit: 'Submit Entry',
    steps: [
      text('Entrant’s full name', 'Struan Sample'),
      text('Age', '9'),
      pick('Preferred pronouns', 'he/him'),
      text('School, college or community organisation', 'private entry'),
      pick('Category', 'Junior, under 10'),
      text('Nominee’s name', 'Rory Sample'),
      text('Nominee’s e-mail', 'rory@example.org'),
      text('How your work relates to the theme, Happiness in Nature', 'A wood full of birds.'),
      attach('Choose files', 'wood.png', 'image/png'),
      text('Parent or guardian’s name', 'Morag Sample'),
      text('Parent or guardian’s e-mail', 'morag@example.org'),
    ],
    done: 'Your entry has been submitted successfully!',
  },
  {
    name: 'Additional files',
    path: '/awards-uploads',
    submit: 'Submit Files',
    steps: [
      text('Name of the entrant', 'Isla Sample'),
      text('School or organisation', 'Sample Academy'),
      attach('Choose files', 'notes.txt', 'text/plain'),
    ],
    done: 'Files Submitted Successfully!',
  },
  {
    name: 'Music files',
    path: '/upload-music',
    submit: 'Upload',
    steps: [text('Nominee’s name', 'Rory Sample'), attach('Choose audio files', 'take.mp3', 'audio/mpeg')],
    done: 'Upload complete',
  },
]
