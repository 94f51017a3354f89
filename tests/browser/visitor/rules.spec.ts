/**
 * Lists the test that covers each message or rule of the visitors' site. Fails if a listed test no longer contains its message, or if a message of
 * the forms is not in the list.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from '@playwright/test'

const root = resolve(import.meta.dirname, '../../..')
const citizen = 'tests/browser/visitor/citizen.spec.ts'
const entries = 'tests/browser/visitor/entries.spec.ts'
const enquiries = 'tests/browser/visitor/enquiries.spec.ts'
const pages = 'tests/browser/visitor/pages.spec.ts'
const unit = (path: string) => `web/club/src/${path}`

const shown: [says: string, test: string][] = [
  ['Please fill in all required fields.', citizen],
  ['Age must be between 11 and 18.', citizen],
  ['Failed to save nomination. Please try again.', citizen],
  ['Failed to submit nomination. Please try again.', unit('features/awards/messages.test.ts')],
  ['Nomination Submitted!', citizen],
  ["Thank you for your nomination. We'll review it carefully.", citizen],
  ['There was an error uploading your files. Please try again.', citizen],
  ['Upload successful', citizen],
  ['file(s) uploaded successfully.', citizen],
  ['exceeds the 10 MB limit.', citizen],
  ['cannot be sent here.', citizen],
  ['Not added: there can be at most', citizen],
  ['Please provide at least one piece title and composer.', entries],
  ['Please complete all required fields.', entries],
  ['Failed to save entry. Please try again.', entries],
  ['Failed to submit entry. Please try again.', unit('features/awards/messages.test.ts')],
  ['Something went wrong. Please try again.', entries],
  ['Entry submitted!', entries],
  ["Thank you. We'll be in touch with details.", entries],
  ['Entrant name must be at least 2 characters', entries],
  ['Minimum age is 11', entries],
  ['Maximum age is 17', unit('features/awards/photographer/photographer-entry.test.ts')],
  ['Please select preferred pronouns', entries],
  ['Please specify school, college, or organisation', entries],
  ['Nominator name must be at least 2 characters', entries],
  ['Please enter a valid email address', entries],
  ['Please select a category', entries],
  ['Please specify camera or device make and model', entries],
  ['Please specify if auxiliary lens or filters were used', entries],
  ['Please specify if the image has been edited with software', entries],
  ['Please provide a description of at least 10 characters', entries],
  ['Please indicate your consent for publicity', entries],
  ['Please enter a valid phone number', entries],
  ['There was an error saving your entry. Please try again.', entries],
  ['There was an error submitting your entry. Please try again.', unit('features/awards/messages.test.ts')],
  ['Thank you for your entry to the Young Photographer Awards. We will be in touch soon.', entries],
  ['Entrant name is required', entries],
  ['Nominee name is required', entries],
  ['Age must be between 5 and 17', entries],
  ['Please specify school/college/organisation or private entry', entries],
  ['Please provide at least a few sentences describing the relationship to the theme', entries],
  ['Parent/Guardian name is required', entries],
  ['Your entry has been submitted successfully!', entries],
  ['Failed to send message. Please try again.', enquiries],
  ['Message Sent!', enquiries],
  ["Thank you for your message. We'll get back to you soon.", enquiries],
  ['Please upload at least one file before submitting.', enquiries],
  ['Failed to submit files. Please try again.', enquiries],
  ["Your additional files have been sent. We'll review them with your original entry.", enquiries],
  ["Please enter the nominee's name.", enquiries],
  ['Please add one or more audio files.', enquiries],
  ['is not an audio file.', enquiries],
  ['exceeds 10MB limit.', enquiries],
  ['file(s) failed. Please retry.', enquiries],
  ['Upload complete', enquiries],
  ['Upload error', unit('features/uploads/uploads.test.ts')],
  ['Unexpected error', unit('features/uploads/uploads.test.ts')],
  ['The club has what you have changed.', 'tests/browser/visitor/my-entry.spec.ts'],
  ['The correction could not be saved. Please try again.', 'tests/browser/visitor/my-entry.spec.ts'],
  ['The club has changed this entry since you opened it.', 'tests/browser/visitor/my-entry.spec.ts'],
  ['Nothing was changed. Write to the club if something is wrong.', 'tests/browser/visitor/my-entry.spec.ts'],
  ['Oops! Page not found', pages],
  ['View more', pages],
  ['View less', pages],
  ['RSVP – 50th Anniversary Celebration (Queen Anne Cruise)', pages],
  ['Speaker Schedule 2025–26', pages],
]

for (const [says, path] of shown) {
  test(`“${says}” has a test`, () => {
    expect(readFileSync(join(root, path), 'utf8')).toContain(says)
  })
}

test('the table contains every message of the forms', () => {
  const listed = shown.map(([says]) => says)
  const folders = ['features/awards', 'features/enquiries', 'features/uploads', 'lib/upload']
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, 'web/club/src', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(root, 'web/club/src', folder, name), 'utf8')),
  )
  const messages = sources.flatMap((source) =>
    [...source.matchAll(/description:\s*(?:'([^']+)'|"([^"]+)"|`([^`]+)`)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? ''),
  )
  expect(messages.length).toBeGreaterThan(20)
  // If a message is composed of parts, the list contains its constant part.
  const missing = messages.filter((message) => !listed.some((says) => message.includes(says) || says.includes(message)))
  expect(missing).toEqual([])
})
