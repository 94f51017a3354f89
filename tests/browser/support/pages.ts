/** The pages and forms for visitors, with their paths. */

/** The path, the document title without the club's name, the heading, and the canonical path if it differs from the path. */
export const pages: [path: string, title: string, heading: string, canonical?: string][] = [
  ['/', 'Gourock Service Club', 'At Gourock’s service since 1925'],
  ['/about', 'About Us', 'About Us'],
  ['/club-history', 'Club History', 'Club History'],
  ['/events', 'Events', 'Events'],
  ['/get-involved', 'Get Involved', 'Get Involved'],
  ['/corporate-membership', 'Corporate Membership', 'Corporate Membership'],
  ['/contact', 'Contact Us', 'Contact Us'],
  ['/youth', 'Youth Awards', 'Youth Awards', '/youth-awards'],
  ['/youth-awards', 'Youth Awards', 'Youth Awards'],
  ['/young-citizen', 'Young Citizen Awards', 'Young Citizen Awards'],
  ['/young-musician', 'Young Musician Awards', 'Young Musician Awards'],
  ['/young-photographer', 'Young Photographer Awards', 'Young Photographer Awards'],
  ['/young-artist', 'Young Artist Awards', 'Young Artist Awards'],
  ['/results', 'Results', 'Results'],
  ['/awards-uploads', 'Awards Uploads', 'Awards Uploads'],
  ['/upload-music', 'Upload music', 'Upload music'],
  ['/privacy', 'Privacy', 'Privacy'],
]

export const paths = pages.map(([path]) => path)

/** Pages for people who have sent an entry, in the same format. Forms link to these pages, and search engines do not list them. */
export const personalPages: [path: string, title: string, heading: string][] = [['/my-entry', 'Your entry', 'Your entry']]

/** The paths of all pages for visitors. */
export const allPaths = [...paths, ...personalPages.map(([path]) => path)]

/** The path of the page that shows each form. */
export const formPaths = [
  '/young-citizen?view=form',
  '/young-musician?view=form',
  '/young-photographer?view=form',
  '/young-artist?view=form',
  '/contact',
  '/get-involved',
  '/corporate-membership',
  '/awards-uploads',
  '/upload-music',
]
