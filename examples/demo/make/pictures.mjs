/**
 * Draws the pictures of the demo project and writes them as WebP files into supabase/objects. Run `node examples/demo/make/pictures.mjs` in a
 * checkout in which the npm packages of tests/ are installed.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

const { chromium } = createRequire(resolve(import.meta.dirname, '../../../tests/package.json'))('playwright')
const objects = resolve(import.meta.dirname, '../supabase/objects')
const anne = '8d1f6a52-3c47-4b0e-9a71-2f5c7d0e4b19'

const SAIL = '#f7f3e8'
const hills = '<path d="M0 250 Q90 175 190 225 T400 205 T640 235 V300 H0Z" fill="#6f8f8b"/><path d="M0 270 Q140 215 300 255 T640 250 V310 H0Z" fill="#4f7371"/>'
const sea = (colour) => `<rect y="285" width="640" height="195" fill="${colour}"/>${[310, 340, 378, 420, 455].map((y, row) => `<path d="M${-40 + row * 23} ${y} q20 -9 40 0 t40 0 t40 0 t40 0 t40 0 t40 0 t40 0 t40 0 t40 0 t40 0 t40 0 t40 0 t40 0 t40 0 t40 0 t40 0 t40 0 t40 0" fill="none" stroke="#fff" stroke-opacity=".22" stroke-width="3"/>`).join('')}`
const hull = (colour, x, y, length) => `<path d="M${x} ${y} H${x + length} Q${x + length - 12} ${y + 46} ${x + length - 46} ${y + 48} H${x + 40} Q${x + 12} ${y + 44} ${x} ${y}Z" fill="${colour}"/><path d="M${x + 4} ${y + 10} H${x + length - 3}" stroke="#fff" stroke-width="4" stroke-opacity=".8"/>`
const sails = (x, top, bottom, size) => `<path d="M${x} ${top - 12} V${bottom}" stroke="#5b4632" stroke-width="6"/><path d="M${x + 6} ${top} Q${x + size} ${(top + bottom) / 2} ${x + size * 0.9} ${bottom - 12} H${x + 6}Z" fill="${SAIL}"/><path d="M${x - 6} ${top + 16} Q${x - size * 0.45} ${(top + bottom) / 2} ${x - size * 0.6} ${bottom - 12} H${x - 6}Z" fill="#e3dcc8"/>`
const scene = (sky, water, boat) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 480" width="640" height="480"><rect width="640" height="480" fill="${sky}"/><circle cx="520" cy="92" r="38" fill="#fff3c4" fill-opacity=".9"/>${hills}${sea(water)}${boat}</svg>`

const pictures = {
  'boats/osprey.webp': scene('#bfdcec', '#2f6f8f', sails(300, 70, 300, 150) + hull('#1f4e5f', 180, 300, 280)),
  'boats/kittiwake.webp': scene('#f3d9b8', '#3b6e7a', sails(320, 120, 308, 110) + hull('#b5452c', 230, 308, 200)),
  'boats/selkie.webp': scene('#cfe6dc', '#27707a', '<path d="M140 330 Q320 372 520 330 Q320 400 140 330Z" fill="#e0a526"/><path d="M280 345 q45 -26 95 0Z" fill="#3c3c3c"/><path d="M250 300 L430 392" stroke="#5b4632" stroke-width="7"/>'),
  'boats/isle-of-bute.webp': scene('#c8d4e3', '#355f80', `<path d="M255 235 h140 v68 h-140Z" fill="${SAIL}"/><path d="M270 250 h32 v24 h-32Z M318 250 h32 v24 h-32Z" fill="#34566b"/><path d="M340 190 h26 v46 h-26Z" fill="#b5452c"/>` + hull('#22384a', 160, 302, 330)),
  [`pictures/${anne}/pier.webp`]: scene('#fbe3c0', '#46788a', `<path d="M0 300 H430 V318 H0Z" fill="#6b4f35"/>${[40, 130, 220, 310, 400].map((x) => `<path d="M${x} 316 h16 v120 h-16Z" fill="#513a26"/>`).join('')}<path d="M392 170 h34 v130 h-34Z" fill="#f4f1ea"/><path d="M392 214 h34 v26 h-34Z M386 158 h46 v14 h-46Z" fill="#b5452c"/><path d="M398 132 h22 v26 h-22Z" fill="#ffe08a"/>`),
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 640, height: 480 } })
for (const [name, svg] of Object.entries(pictures)) {
  const webp = await page.evaluate(async (text) => {
    const image = new Image()
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`
    await image.decode()
    const canvas = new OffscreenCanvas(640, 480)
    canvas.getContext('2d').drawImage(image, 0, 0)
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.75 })).arrayBuffer())
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  }, svg)
  const file = join(objects, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, Buffer.from(webp, 'base64'))
  console.log(name, Buffer.from(webp, 'base64').length)
}
await browser.close()
