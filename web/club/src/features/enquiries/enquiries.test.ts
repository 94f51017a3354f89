import { describe, expect, it } from 'vitest'
import { contactForm, contactMail, contactSchema, missing } from './contact-form'
import { corporateMail, corporateSchema } from './corporate-form'

const message = { name: 'Ailsa Sample', email: 'ailsa@example.org', phone: '', message: 'Hello.\nMay I <visit>?' }

describe('contact form', () => {
  it.each(['name', 'email', 'message'])('requires %s', (field) => {
    const issues = contactSchema.safeParse({ ...message, [field]: ' ' }).error?.issues ?? []
    expect(issues[0]?.path).toEqual([field])
    expect(issues[0]?.message).toMatch(/ is missing$/)
  })

  it('does not require a phone number', () => {
    expect(contactSchema.safeParse(message).success).toBe(true)
  })

  it('has the messages of the contact form', () => {
    const { messages } = contactForm('contact')
    expect(missing).toMatchObject({ title: 'Missing Information', description: 'Please fill in all required fields.' })
    expect(messages.sendFailed).toEqual({ title: 'Error', description: 'Failed to send message. Please try again.' })
    expect(messages.success).toEqual({
      title: 'Message Sent!',
      description: "Thank you for your message. We'll get back to you soon.",
    })
  })

  it('keeps the drafts of the two contact forms apart', () => {
    expect(contactForm('contact').name).not.toBe(contactForm('get-involved').name)
  })

  it('sends one mail to the club, with line breaks and without markup of the sender', () => {
    const mail = contactMail(contactSchema.parse(message), 'club@example.org')
    expect(mail.to).toBe('club@example.org')
    expect(mail.subject).toBe('Contact Form Submission from Ailsa Sample')
    expect(mail.name).toBe('Ailsa Sample')
    expect(mail.message).toContain('<strong>Phone:</strong> Not provided')
    expect(mail.message).toContain('Hello.<br>May I &lt;visit&gt;?')
    expect(mail.message).toContain('sent through the club website contact form')
  })
})

describe('corporate enquiry', () => {
  const enquiry = {
    company: 'Sample Ltd',
    name: 'Ailsa Sample',
    email: 'ailsa@example.org',
    phone: '',
    people: '',
    message: 'Tell us more.',
  }

  it('requires company, contact name, e-mail and message', () => {
    const empty = { company: '', name: '', email: '', phone: '', people: '', message: '' }
    const fields = corporateSchema.safeParse(empty).error?.issues.map((issue) => issue.path[0])
    expect(new Set(fields)).toEqual(new Set(['company', 'name', 'email', 'message']))
  })

  it('accepts a number of people, or an empty field', () => {
    expect(corporateSchema.safeParse({ ...enquiry, people: '12' }).success).toBe(true)
    expect(corporateSchema.safeParse({ ...enquiry, people: 'a dozen' }).success).toBe(false)
    expect(corporateSchema.safeParse({ ...enquiry, people: '0' }).success).toBe(false)
  })

  it('writes to the club', () => {
    const mail = corporateMail(corporateSchema.parse(enquiry), 'club@example.org')
    expect(mail).toMatchObject({ to: 'club@example.org', subject: 'Corporate Membership Enquiry from Sample Ltd' })
  })
})
