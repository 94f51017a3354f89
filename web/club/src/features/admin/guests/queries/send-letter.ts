import { invoke } from '@/lib/functions'
import type { GuestStatus } from '../status'

export interface Letter {
  name: string
  email: string
  status: GuestStatus
  message: string
}

/** @throws if the server refuses the letter */
export async function sendLetter({ name, email, status, message }: Letter) {
  await invoke('send-guest-email', {
    guestName: name,
    guestEmail: email,
    guestStatus: status,
    customMessage: message,
    generateOnly: false,
  })
}
