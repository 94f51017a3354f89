import { notifyError, notifySuccess } from './notify'

/** Copies a text to the clipboard and confirms it with a message. @param done text of the message */
export async function copyText(text: string, done: string) {
  // Browsers offer the clipboard only over https or on localhost.
  if (!('clipboard' in navigator)) {
    notifyError('This browser copies only over https')
    return
  }
  try {
    await navigator.clipboard.writeText(text)
    notifySuccess(done)
  } catch (error) {
    notifyError('Nothing was copied', error)
  }
}
