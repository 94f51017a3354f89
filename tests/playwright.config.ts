import { defineConfig } from '@playwright/test'
import { launchOptions } from './browser/support/chromium.ts'

/** Tests of the web apps in a real browser. Each Playwright worker starts a separate server. */
export default defineConfig({
  testDir: 'browser',
  outputDir: 'output',
  workers: Number(process.env.CLOCH_TEST_WORKERS ?? 2),
  // The timeout is much longer than any test needs. Tests wait for conditions, and a slow machine is not a failure of the program.
  timeout: 240_000,
  expect: { timeout: 20_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list']],
  use: {
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/London',
    // If an element does not appear within a minute, it will not appear at all. Without this limit, an action would wait until the timeout of the
    // test.
    actionTimeout: 60_000,
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    launchOptions,
  },
})
