import * as z from 'zod'
import { getSettings } from '@/lib/config'
import type { FormSpec } from '@/lib/forms/form-spec'
import { summaryHtml, toHtml } from '@/lib/forms/html'
import { limits, optional, required, requiredEmail, type Check } from '@/lib/forms/rules'
import { sendEmail } from '@/lib/forms/send-email'

export const missing: Check = {
  title: 'Missing Information',
  description: 'Please fill in all required fields.',
  covers: 'missing',
}

/** The messages that the contact and get-involved forms show after sending or after an error. */
export const contactMessages = {
  sendFailed: { title: 'Error', description: 'Failed to send message. Please try again.' },
  success: { title: 'Message Sent!', description: "Thank you for your message. We'll get back to you soon." },
}

export const contactSchema = z.object({
  name: required('your name'),
  email: requiredEmail('your e-mail'),
  phone: optional(limits.phone),
  message: required('your message', limits.message),
})

export type ContactValues = z.input<typeof contactSchema>
export type ContactEntry = z.output<typeof contactSchema>

/** The mail that a contact form sends: contact data, the message with its line breaks, and the page on which the form is. */
export function contactMail(entry: ContactEntry, to: string) {
  const information = summaryHtml('Contact Information', [
    {
      heading: 'From',
      rows: [
        ['Name', entry.name],
        ['E-mail', entry.email],
        ['Phone', entry.phone],
      ],
    },
  ])
  const message = `<h2>Message</h2>\n<p>${toHtml(entry.message)}</p>`
  const footer = '<p><em>This message was sent through the club website contact form.</em></p>'
  return {
    to,
    subject: `Contact Form Submission from ${entry.name}`,
    message: [information, message, footer].join('\n'),
    name: entry.name,
    replyTo: entry.email,
  }
}

const titles = { contact: 'Contact Us Form', 'get-involved': 'Get Involved Form' }

/** A contact form. Its draft is stored under `name`. */
export function contactForm(name: 'contact' | 'get-involved'): FormSpec<ContactValues, ContactEntry> {
  return {
    name,
    title: titles[name],
    parts: [{ id: 'contact', title: 'Contact', fields: ['name', 'email', 'phone', 'message'] }],
    empty: { name: '', email: '', phone: '', message: '' },
    schema: contactSchema,
    checks: [missing],
    send: (supabase, entry) => sendEmail(supabase, contactMail(entry, getSettings().clubEmail)),
    messages: contactMessages,
  }
}
