import { describe, expect, it, vi } from 'vitest'
import type { Supabase } from '@/lib/supabase'
import { recordMail } from './record-mail'
import { sendEmail } from './send-email'

const record = {
  entrant_name: 'Ailsa <b>',
  age: 12,
  accompanist_required: false,
  music_selections: ['Air', 'Reel'],
  publicity_consent: null,
  school: '',
  uploaded_files: ['musician/ailsa/1-a.mp3'],
  submission_key: 'key',
}
const mail = recordMail(record, {
  to: ['awards@example.org'],
  title: 'Young Musician Entry',
  whom: 'Ailsa',
  labels: { age: 'Age on the day' },
})

describe('the mail of a record', () => {
  it('contains recipients, subject, name, files and the key of the record', () => {
    expect(mail).toMatchObject({
      to: ['awards@example.org'],
      subject: 'Young Musician Entry - Ailsa',
      name: 'Ailsa',
      attachments: ['musician/ailsa/1-a.mp3'],
      submission: 'key',
    })
  })

  it.each([
    'Entrant name:</strong> Ailsa &lt;b&gt;',
    'Age on the day:</strong> 12',
    'Accompanist required:</strong> No',
    'Music selections:</strong> Air; Reel',
    'Publicity consent:</strong> Not specified',
    'School:</strong> Not provided',
  ])('lists what was sent: %s', (line) => {
    expect(mail.message).toContain(line)
  })

  it('does not contain keys and paths', () => {
    expect(mail.message).not.toMatch(/key|mp3/)
  })
})

it('replaces line breaks in a pasted name', async () => {
  const invoke = vi.fn().mockResolvedValue({ error: null })
  await sendEmail({ functions: { invoke } } as unknown as Supabase, {
    ...mail,
    name: 'Ailsa\nSample',
    subject: 'S\u2028- Ailsa\r\n',
  })
  expect(invoke).toHaveBeenCalledWith('send-email', {
    body: expect.objectContaining({ name: 'Ailsa Sample', subject: 'S - Ailsa' }) as unknown,
  })
})
