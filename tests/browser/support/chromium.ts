/** Chooses the Chromium that runs the tests, and its options. */
import { existsSync } from 'node:fs'

const shell = '/usr/bin/chromium-headless-shell'
const whole = '/usr/bin/chromium'

const launch = (programs: string[]) => {
  const executablePath = process.env.CHROMIUM_PATH ?? programs.find(existsSync)
  return {
    ...(executablePath === undefined ? {} : { executablePath }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  }
}

/** The headless shell. It needs three quarters of the full browser's processor time for the same page. */
export const launchOptions = launch([shell, whole])
/** The full browser with its PDF viewer. The headless shell has no PDF viewer. */
export const launchOptionsWithViewer = launch([whole])
