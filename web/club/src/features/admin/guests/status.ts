import type { ComponentProps } from 'react'
import type { Badge } from '@cloch/ui/components/badge'

/** The statuses, in the order in which the list shows their groups. */
export const guestStatuses = ['accepted', 'invited', 'declined'] as const
export type GuestStatus = (typeof guestStatuses)[number]

export const statusLabels: Record<GuestStatus, string> = { accepted: 'Accepted', invited: 'Invited', declined: 'Declined' }

export const statusTones: Record<GuestStatus, NonNullable<ComponentProps<typeof Badge>['tone']>> = {
  accepted: 'success',
  invited: 'firth',
  declined: 'destructive',
}

export function isGuestStatus(text: string): text is GuestStatus {
  return Object.hasOwn(statusLabels, text)
}
