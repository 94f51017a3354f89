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

/** The headless shell, which needs three quarters of the processor time for the same page. */
export const launchOptions = launch([shell, whole])
/** The full browser with its PDF viewer, which the headless shell lacks. */
export const launchOptionsWithViewer = launch([whole])
