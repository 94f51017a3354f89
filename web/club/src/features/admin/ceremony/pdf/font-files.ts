import displayExtended from '@fontsource/besley/files/besley-latin-ext-700-normal.woff?url'
import display from '@fontsource/besley/files/besley-latin-700-normal.woff?url'
import textExtended from '@fontsource/atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-ext-400-normal.woff?url'
import text from '@fontsource/atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-400-normal.woff?url'
import type { FontFiles } from './paper'

async function read(url: string): Promise<ArrayBuffer> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error('The fonts of the PDF could not be loaded')
  return answer.arrayBuffer()
}

/** Loads the font files for Western and Central European languages. */
export async function loadFontFiles(): Promise<FontFiles> {
  const [western, central, plain, plainCentral] = await Promise.all([display, displayExtended, text, textExtended].map(read))
  if (!western || !central || !plain || !plainCentral) throw new Error('The fonts of the PDF could not be loaded')
  return { display: [western, central], text: [plain, plainCentral] }
}
