import { messageOf } from '@/lib/errors'

/** Returns messages such as "Failed to add judge: …" and "Failed to update judge: …". */
export function failedToSave(thing: string) {
  return (error: unknown, adding: boolean) => `Failed to ${adding ? 'add' : 'update'} ${thing}: ${messageOf(error)}`
}

/** Returns messages such as "Failed to delete judge: …". */
export function failedToDelete(thing: string) {
  return (error: unknown) => `Failed to delete ${thing}: ${messageOf(error)}`
}
