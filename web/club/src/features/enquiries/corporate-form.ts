import * as z from 'zod'
import { getSettings } from '@/lib/config'
import type { FormSpec } from '@/lib/forms/form-spec'
import { summaryHtml } from '@/lib/forms/html'
import { limits, optional, required, requiredEmail } from '@/lib/forms/rules'
import { sendEmail } from '@/lib/forms/send-email'
import { contactMessages, missing } from './contact-form'

export const corporateSchema = z.object({
  company: required('company'),
  name: required('your name'),
  email: requiredEmail('your e-mail'),
  phone: optional(limits.phone),
  people: z
    .string()
    .trim()
    .regex(/^([1-9]\d{0,4})?$/, 'Please enter the number of people in figures'),
  message: required('your message', limits.message),
})

export type CorporateValues = z.input<typeof corporateSchema>
export type CorporateEntry = z.output<typeof corporateSchema>

/** The mail of an enquiry about corporate membership. */
export function corporateMail(entry: CorporateEntry, to: string) {
  return {
    to,
    subject: `Corporate Membership Enquiry from ${entry.company}`,
    message: summaryHtml(
      'Corporate Membership Enquiry',
      [
        {
          heading: 'From',
          rows: [
            ['Company', entry.company],
            ['Contact name', entry.name],
            ['E-mail', entry.email],
            ['Phone', entry.phone],
            ['Number of people', entry.people],
          ],
        },
        { heading: 'Message', rows: [['Message', entry.message]] },
      ],
      'This message was sent through the corporate membership form of the club website.',
    ),
    name: entry.name,
    replyTo: entry.email,
  }
}

export const corporateForm: FormSpec<CorporateValues, CorporateEntry> = {
  name: 'corporate-membership',
  title: 'Corporate membership enquiry',
  parts: [{ id: 'enquiry', title: 'Enquiry', fields: ['company', 'name', 'email', 'phone', 'people', 'message'] }],
  empty: { company: '', name: '', email: '', phone: '', people: '', message: '' },
  schema: corporateSchema,
  checks: [missing],
  send: (supabase, entry) => sendEmail(supabase, corporateMail(entry, getSettings().clubEmail)),
  messages: contactMessages,
}
