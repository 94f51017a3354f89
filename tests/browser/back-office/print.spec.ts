/** The printed page of an entry of each award contains all fields of the entry, without cuts. */
import { add, expect, test } from '../support/club.ts'
import { print } from '../support/pdf.ts'

/** Returns a long text for a text column. Its words occur nowhere else on the page. */
const long = (column: string) => `The ${column} goes on for ${'several words '.repeat(30)}and ends with ${column}-end`
const words = (columns: string[]) => Object.fromEntries(columns.map((column) => [column, `Value of ${column.replaceAll('_', '-')}`]))
const address = (column: string) => `${column.replaceAll('_', '.')}@a-school-with-a-long-name.example.org`

const teacher = {
  ...words(['teacher_name', 'parent_guardian_name', 'school']),
  teacher_email: address('teacher_email'),
  teacher_phone: '01475 000001',
  parent_guardian_email: address('parent_guardian_email'),
  parent_guardian_phone: '01475 000002',
  email: address('email'),
  phone: '01475 000003',
  age: 13,
}

const entries = [
  {
    tab: 'citizen',
    table: 'young_citizen_nominations',
    row: {
      ...words(['nominee_name', 'nominator_name', 'nominator_relationship']),
      nomination_type: 'individual',
      nominee_age: 15,
      nominee_email: address('nominee_email'),
      nominee_phone: '01475 000004',
      nominator_email: address('nominator_email'),
      nominator_phone: '01475 000005',
      parent_guardian_email: address('parent_guardian_email'),
      parent_guardian_phone: '01475 000002',
      key_achievement: long('achievement'),
      community_impact: long('impact'),
      why_deserving: long('deserving'),
    },
  },
  {
    tab: 'musician',
    table: 'young_musician_entries',
    row: {
      ...teacher,
      ...words(['entrant_name', 'teacher_position', 'instrument', 'piece_title', 'composer', 'piece_duration', 'accompanist_name', 'signature']),
      category: 'instrumental',
      accompanist_required: true,
      special_requirements: long('requirements'),
    },
  },
  {
    tab: 'photographer',
    table: 'young_photographer_entries',
    row: {
      ...teacher,
      ...words(['entrant_name', 'photo_title', 'location_taken']),
      category: 'Senior',
      camera_equipment: 'C'.repeat(150),
      photo_description: long('picture'),
    },
  },
  {
    tab: 'artist',
    table: 'young_artist_entries',
    row: {
      ...teacher,
      ...words(['entrant_name', 'artwork_title', 'medium', 'nominee_name']),
      category: 'Intermediate',
      artwork_description: long('description'),
      inspiration: long('inspiration'),
    },
  },
] as const

for (const { tab, table, row } of entries) {
  test(`an entry of the ${tab} award is printed completely`, async ({ office, club }) => {
    const [entry] = await add<Record<string, unknown>>(club, table, row)
    await office.goto(`/admin?tab=${tab}&entry=${entry?.id}`)
    await expect(office.getByRole('dialog').getByText(/added this record/)).toBeVisible()
    const printed = await print(office)
    // If a line ends in the middle of a long word, the PDF contains the word in two pieces.
    const joined = printed.text.replaceAll(' ', '')
    for (const [column, value] of Object.entries(row)) {
      if (typeof value === 'string') expect(joined, column).toContain(value.replaceAll(' ', ''))
    }
    expect(printed.cut).toEqual([])
    expect(printed.pages).toBeGreaterThanOrEqual(1)
    // The printed page contains only the entry, and no other parts of the screen.
    for (const other of ['Logout', 'Change this entry', 'Delete', 'Invited Guests']) expect(printed.text).not.toContain(other)
  })
}
