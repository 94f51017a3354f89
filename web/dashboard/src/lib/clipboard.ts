import { notifyError, notifySuccess } from './notify'

/** Puts a text into the clipboard, and says so. @param done what is said when it is there */
export async function copyText(text: string, done: string) {
  // Without https or localhost a browser has no clipboard.
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
