/** Chromium's virtual authenticator (CTAP2, resident keys) for a page. */
import type { Page } from '@playwright/test'

/**
 * Adds an authenticator to the page. The authenticator confirms its user. Returns the function `failUser`. After a call of this function, the
 * authenticator refuses to confirm its user.
 */
export async function addAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true } as const
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
  return { failUser: () => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false }) }
}
