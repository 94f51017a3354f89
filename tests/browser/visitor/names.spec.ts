/** Checks the texts that a screen reader announces for each form, in this order: the form's name, parts, questions, answers and button. */
import { expect, test } from '../support/site.ts'

const snapshots: Record<string, { path: string; says: string }> = {
  'Contact Us Form': {
    path: '/contact',
    says: `
    - form "Contact Us Form":
      - group "Contact Us Form":
        - textbox "Name"
        - textbox "E-mail"
        - textbox "Phone (optional)"
        - textbox "Message"
      - button "Submit Form"
    `,
  },
  'Get Involved Form': {
    path: '/get-involved',
    says: `
    - form "Get Involved Form":
      - group "Get Involved Form":
        - textbox "Name"
        - textbox "E-mail"
        - textbox "Phone (optional)"
        - textbox "Message"
      - button "Submit Form"
    `,
  },
  'Corporate membership enquiry': {
    path: '/corporate-membership',
    says: `
    - form "Corporate membership enquiry":
      - group "Corporate membership enquiry":
        - textbox "Company"
        - textbox "Contact name"
        - textbox "E-mail"
        - textbox "Phone (optional)"
        - textbox "How many people would join (optional)"
        - textbox "Message"
      - button "Send Enquiry"
    `,
  },
  'Young Citizen nomination': {
    path: '/young-citizen?view=form',
    says: `
    - form "Young Citizen nomination":
      - group "1. The nominee":
        - group "Nomination Type":
          - radio "Individual" [checked]
          - radio "Group"
        - textbox "Nominee’s full name"
        - textbox "Age"
        - textbox "Nominee’s e-mail (optional)"
        - textbox "Nominee’s phone (optional)"
      - group "2. Parent or guardian":
        - textbox "Parent or guardian’s e-mail"
        - textbox "Parent or guardian’s phone (optional)"
      - group "3. About you":
        - textbox "Your name"
        - textbox "Your e-mail"
        - textbox "Your phone (optional)"
        - textbox "How you know them (optional)"
      - group "4. The reasons":
        - textbox "Key achievement"
        - textbox "Community impact (optional)"
        - textbox "Why the nominee deserves the award"
      - group "5. Supporting evidence (optional)":
        - button "Choose files"
      - button "Submit Nomination"
    `,
  },
  'Young Musician entry': {
    path: '/young-musician?view=form',
    says: `
    - form "Young Musician entry":
      - group "1. The entrant":
        - textbox "Full name"
        - textbox "Age"
        - textbox "School"
        - group "Performance type":
          - radio "Instrumental"
          - radio "Vocal"
        - textbox "Instrument"
      - group "2. The music":
        - textbox "First piece"
        - textbox "Second piece (optional)"
        - textbox "Third piece (optional)"
        - textbox "Accompanist’s name (optional)"
      - group "3. Parent or guardian":
        - textbox "Parent or guardian’s e-mail"
        - textbox "Parent or guardian’s telephone"
      - group "4. Nominator (optional)":
        - textbox "Nominator’s name (optional)"
        - textbox "Nominator’s e-mail (optional)"
      - group "5. Recordings and papers (optional)":
        - button "Choose files"
      - group "6. On the night":
        - textbox "Allergies (optional)"
        - textbox "Accessibility (optional)"
        - group "Name and picture in publicity":
          - radio "Agree"
          - radio "Disagree"
        - textbox "Signature"
      - button "Submit Application"
    `,
  },
  'Young Photographer entry': {
    path: '/young-photographer?view=form',
    says: `
    - form "Young Photographer entry":
      - group "1. The entrant":
        - textbox "Entrant’s full name"
        - textbox "Age"
        - group "Preferred pronouns":
          - radio "she/her"
          - radio "he/him"
          - radio "they/them"
        - textbox "School, college or community organisation"
        - group "Category":
          - radio "Intermediate, 11 to 13"
          - radio "Senior, 14 to 17"
      - group "2. The picture":
        - textbox "Title of the picture (optional)"
        - textbox "Camera or device"
        - group "Did you use an auxiliary lens or filters?":
          - radio "Yes"
          - radio "No"
        - group "Has the image been edited with software?":
          - radio "Yes"
          - radio "No"
        - textbox "How the picture relates to the theme"
      - group "3. Files (optional)":
        - button "Choose files"
      - group "4. Nominator":
        - textbox "Nominator’s name"
        - textbox "Nominator’s e-mail"
      - group "5. Parent or guardian":
        - textbox "Parent or guardian’s e-mail"
        - textbox "Parent or guardian’s phone"
        - group "Name and picture in publicity":
          - radio "Agree"
          - radio "Disagree"
      - button "Submit Entry"
    `,
  },
  'Young Artist entry': {
    path: '/young-artist?view=form',
    says: `
    - form "Young Artist entry":
      - group "1. The entrant":
        - textbox "Entrant’s full name"
        - textbox "Age"
        - group "Preferred pronouns":
          - radio "she/her"
          - radio "he/him"
          - radio "they/them"
        - textbox "School, college or community organisation"
        - group "Category":
          - radio "Junior, under 10"
          - radio "Intermediate, 11 to 13"
          - radio "Senior, 14 to 17"
      - group "2. The nominee":
        - textbox "Nominee’s name"
        - textbox "Nominee’s e-mail"
      - group "3. The work":
        - textbox "Title of the work (optional)"
        - textbox "How your work relates to the theme, Happiness in Nature"
      - group "4. Files (optional)":
        - button "Choose files"
      - group "5. Parent or guardian":
        - textbox "Parent or guardian’s name"
        - textbox "Parent or guardian’s e-mail"
        - group "Name and picture in publicity":
          - radio "Agree"
          - radio "Disagree"
      - button "Submit Entry"
    `,
  },
  'Additional files': {
    path: '/awards-uploads',
    says: `
    - form "Additional files":
      - group "Your files":
        - textbox "Name of the entrant"
        - textbox "School or organisation"
        - textbox "Anything we should know (optional)"
        - button "Choose files"
      - button "Submit Files"
    `,
  },
  'Music files': {
    path: '/upload-music',
    says: `
    - form "Music files":
      - group "Your recordings":
        - textbox "Nominee’s name"
        - button "Choose audio files"
      - button "Upload"
    `,
  },
}

for (const [name, { path, says }] of Object.entries(snapshots)) {
  test(`${name} has a name for every question`, async ({ page }) => {
    await page.goto(path)
    await page.getByRole('form', { name, exact: true }).waitFor()
    await expect(page.getByRole('main')).toMatchAriaSnapshot(says)
  })
}

test('the artist form does not promise that the club writes to the nominee: for minors it writes to the parent or guardian only', async ({ page }) => {
  await page.goto('/young-artist?view=form')
  await expect(page.getByRole('group', { name: '2. The nominee' })).toContainText('Who is put forward for the award: in most cases the entrant.')
  await expect(page.getByRole('form').getByText(/\bwe (write|contact)\b/i)).toHaveText(['For anyone under 18 we write to the parent or guardian only.'])
})

test('a refused answer has its error and its question in its description', async ({ page }) => {
  await page.goto('/young-citizen?view=form')
  await page.getByRole('button', { name: 'Submit Nomination' }).click()
  const age = page.getByLabel('Age', { exact: true })
  await expect(age).toHaveAttribute('aria-invalid', 'true')
  await expect(age).toHaveAccessibleDescription(/^From 11 to 18\..*Age is missing$/)
  await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - form "Young Citizen nomination":
      - group "Seven answers need another look":
        - heading "Seven answers need another look" [level=2]
        - list:
          - listitem:
            - link "Name of the nominee is missing"
          - listitem:
            - link "Age is missing"
  `)
})
