export const states = ['waiting', 'sent', 'failed', 'kept'] as const

export interface Message {
  id: string
  created_at: string
  to: string[]
  from: string
  subject: string
  state: (typeof states)[number]
  attempts: number
  last_error?: string | null
  sent_at?: string | null
  attachments: number
}

export interface MessageDetail extends Omit<Message, 'attachments'> {
  text: string | null
  attachments: { position: number; filename: string; content_type: string; bytes: number }[]
}

export const mailKey = ['mail'] as const
