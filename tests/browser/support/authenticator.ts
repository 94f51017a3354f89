/** Chromium's virtual authenticator (CTAP2, resident keys) beside a page. */
import type { Page } from '@playwright/test'

/** Puts one beside the page, whose user it verifies. Answers with how its user is made to fail. */
export async function addAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true } as const
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
  return { failUser: () => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false }) }
}
