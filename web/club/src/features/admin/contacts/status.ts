import type { ComponentProps } from 'react'
import type { Badge } from '@cloch/ui/components/badge'

export const contactStatuses = [
  'not_contacted',
  'initial_contact',
  'follow_up_sent',
  'confirmed_participation',
  'declined',
  'no_response',
  'ready_for_collection',
] as const
export type ContactStatus = (typeof contactStatuses)[number]

export const statusLabels: Record<ContactStatus, string> = {
  not_contacted: 'Not Contacted',
  initial_contact: 'Initial Contact',
  follow_up_sent: 'Follow-up Sent',
  confirmed_participation: 'Confirmed Participation',
  declined: 'Declined',
  no_response: 'No Response',
  ready_for_collection: 'Ready for Collection',
}

/** Colours of the statuses: green, purple, red, blue, and grey for the rest. */
export const statusTones: Record<ContactStatus, NonNullable<ComponentProps<typeof Badge>['tone']>> = {
  not_contacted: 'muted',
  initial_contact: 'firth',
  follow_up_sent: 'firth',
  confirmed_participation: 'success',
  declined: 'destructive',
  no_response: 'muted',
  ready_for_collection: 'heather',
}
