import { defineConfig } from '@playwright/test'
import { launchOptions } from './browser/support/chromium.ts'

/** The web app in a real browser, on a real server of its own for each worker. */
export default defineConfig({
  testDir: 'browser',
  outputDir: 'output',
  workers: Number(process.env.CLOCH_TEST_WORKERS ?? 2),
  // Far beyond what any test needs: they wait for conditions, and a stalled machine is no failure of the program.
  timeout: 240_000,
  expect: { timeout: 20_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list']],
  use: {
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/London',
    // What is not there after a minute will not come: without a limit the action waits until the test's end.
    actionTimeout: 60_000,
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    launchOptions,
  },
})
