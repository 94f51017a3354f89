import type { LateForm } from '@/lib/late-link'

/** The forms that can be opened with a late link, with their names and paths. */
export const lateForms: Record<LateForm, { label: string; path: string }> = {
  citizen: { label: 'Young Citizen', path: '/young-citizen?view=form' },
  musician: { label: 'Young Musician', path: '/young-musician?view=form' },
  photographer: { label: 'Young Photographer', path: '/young-photographer?view=form' },
  artist: { label: 'Young Artist', path: '/young-artist?view=form' },
  additional: { label: 'Additional files', path: '/awards-uploads' },
  music: { label: 'Recordings', path: '/upload-music' },
}

export function lateFormLabel(award: string): string {
  return award in lateForms ? lateForms[award as LateForm].label : award
}

/** The URL for the entrant. The token is in the fragment of the URL. Browsers do not send the fragment, so no server logs the token. */
export function lateAddress(form: LateForm, token: string, origin: string): string {
  return `${origin}${lateForms[form].path}#late=${token}`
}
