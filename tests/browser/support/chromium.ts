/** Which Chromium runs the tests, and how. */
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

/** Chromium without windows: three quarters of the work for the same page. */
export const launchOptions = launch([shell, whole])
/** With its own viewer of PDF files, which the other lacks. */
export const launchOptionsWithViewer = launch([whole])
