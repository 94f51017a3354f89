/** The printed papers for the ceremony: certificates and the programme, generated from the data. */
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { add, expect, must, test } from '../support/club.ts'
import { artist, nomination } from '../support/entries.ts'
import { readPdf } from '../support/pdf.ts'

async function download(office: Page, name: string) {
  const coming = office.waitForEvent('download')
  await office.getByRole('button', { name }).click()
  const file = await coming
  return { name: file.suggestedFilename(), ...(await readPdf(new Uint8Array(readFileSync(await file.path())))) }
}

test('certificates for winners and places; the programme contains only the names with consent', async ({ office, club }) => {
  await office.goto('/admin?tab=summary')
  await expect(office.getByRole('button', { name: 'Download certificates' })).toHaveCount(0)
  const entry = { ...artist, category: 'Senior', age: 15 }
  await add(club, 'young_artist_entries', [
    { ...entry, entrant_name: 'Zoë Łukaszewska', artwork_title: 'Tide', senior_ranking: 1, publicity_consent: 'agree' },
    { ...entry, entrant_name: 'Bob Birch', artwork_title: 'Wind', senior_ranking: 2, publicity_consent: 'disagree' },
    { ...entry, entrant_name: 'Cat Cedar', artwork_title: 'Rain' },
  ])
  const [nominee] = await add(club, 'young_citizen_nominations', [nomination])
  await must(club.database.from('entry_mails').insert({ award: 'citizen', entry: nominee?.id, state: 'winner' }).select())
  await add(club, 'seasons', { name: '2099', event_on: '2099-11-20', event_time: '7 PM' })
  await office.reload()
  const section = office.getByRole('region', { name: 'Ceremony' })
  await expect(section).toContainText('3 winners and places')
  await expect(section).toContainText('Not named in the programme, because no consent is recorded: Niamh Docherty, Bob Birch.')

  const certificates = await download(office, 'Download certificates')
  expect([certificates.name, certificates.pages, certificates.cut]).toEqual(['certificates.pdf', 3, []])
  for (const words of ['Young Citizen Award', 'Niamh Docherty', 'Winner, Individual', 'Zoë Łukaszewska', '1st place, Senior', 'for “Tide”', 'Bob Birch', '2nd place, Senior', '20th November']) {
    expect(certificates.text.replaceAll(' ', '')).toContain(words.replaceAll(' ', ''))
  }
  expect(certificates.text).not.toContain('Cedar')

  const programme = await download(office, 'Download programme')
  expect([programme.name, programme.pages, programme.cut]).toEqual(['programme.pdf', 1, []])
  for (const words of ['Youth Awards Ceremony', '20th November, 7 PM', 'Young Citizen Award', 'Winner: announced at the ceremony', '1st place: Zoë Łukaszewska', '2nd place: announced at the ceremony']) {
    expect(programme.text.replaceAll(' ', '')).toContain(words.replaceAll(' ', ''))
  }
  for (const words of ['Bob', 'Birch', 'Wind', 'Niamh', 'Cedar']) expect(programme.text).not.toContain(words)
})

test('a name that the fonts cannot write is left out with a message, and the other certificates are created', async ({ office, club }) => {
  await add(club, 'young_artist_entries', { ...artist, entrant_name: 'Иван', junior_ranking: 1 })
  await add(club, 'young_artist_entries', { ...artist, entrant_name: 'Dora Dune', junior_ranking: 2 })
  await office.goto('/admin?tab=summary')
  const certificates = await download(office, 'Download certificates')
  expect(certificates.text.replaceAll(' ', '')).toContain('DoraDune')
  const left = office.getByRole('status').filter({ hasText: 'Left out of the certificates' })
  await expect(left).toContainText('Иван: The fonts of the PDF have no letters for “Иван”')
})
