import type { NamedText } from '@/content/club'

/** The data of each form that is stored on the server. */
export const whatWeKeep: NamedText[] = [
  {
    name: 'Entries and nominations',
    text: 'What is written on the form and the files that go with it, to run the competition. Place, owner and camera are taken out of photographs before anybody sees them.',
  },
  {
    name: 'Receipts',
    text: 'Whoever answers for an entry (the parent or guardian; for a nomination the nominator) is told by mail what was received. The mail names nobody, since the address may be mistyped; the club finds the entry by its reference.',
  },
  {
    name: 'Messages to the club',
    text: 'Your name, address and words travel as a mail to the club; a copy stays on the server for 30 days.',
  },
  {
    name: 'Guests, judges and school contacts',
    text: 'Names and addresses of grown-ups whom the club writes to, to arrange the season and its evening.',
  },
  {
    name: 'A draft on your device',
    text: 'A form that is not sent yet is kept in your own browser until you send it or clear it, and for at most 30 days after its last change. Files are not in it: those of an award form and additional files are on our server as soon as they are uploaded, and are destroyed with the season even if the form is never sent. There are no advertising or tracking cookies.',
  },
  {
    name: 'The way back to your entry',
    text: 'The page that thanks for an entry shows a link to it. Your own browser keeps this link only if you tick “Keep this link on this device”, until entries close and for at most 60 days; it does not keep what you wrote. Whoever asks on the page “Your entry” gets a link by mail, at the address of the receipt only.',
  },
]

export const whoSeesIt: NamedText[] = [
  {
    name: 'Administrators of the club',
    text: 'A few named members with an account and a password each. Every change they make is logged.',
  },
  {
    name: 'Judges',
    text: 'The pictures, recordings, titles and descriptions of what they judge, and of a nomination what it says about the nominee, with name, age and school. No addresses, no phone numbers, nobody’s parents.',
  },
  {
    name: 'The organisers of the competition',
    text: 'At club, district, cluster and national level; venues and caterers only the minimum they need.',
  },
]
