/** Saves the pictures of the documentation. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { root } from '../../docs/pages.mjs'

const MAX_BYTES = 60_000

/** Saves a screenshot of the page as a WebP picture below docs/images, if pictures are requested (CLOCH_PICTURES=1, scripts/docs-pictures). */
export async function picture(page: Page, name: string) {
  if (process.env.CLOCH_PICTURES === undefined) return
  const png = (await page.screenshot({ animations: 'disabled' })).toString('base64')
  // The conversion runs in a separate page, because the dashboard's content security policy does not allow requests to data: URLs.
  const blank = await page.context().newPage()
  const webp = await blank.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())
    const canvas = new OffscreenCanvas(image.width, image.height)
    canvas.getContext('2d')!.drawImage(image, 0, 0)
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 })).arrayBuffer())
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  }, png)
  await blank.close()
  const bytes = Buffer.from(webp, 'base64')
  expect(bytes.length, `${name} is too large for the repository`).toBeLessThan(MAX_BYTES)
  writeFileSync(join(root, 'docs/images', `${name}.webp`), bytes)
}
