/** The contents of the page's <head> element. */
export interface PageHead {
  title: string
  description: string
  robots: string
  canonical: string | undefined
  /** JSON. */
  structured: string | undefined
}

/** A page, or a view of a page (selected by a query), as rendered at build time. */
export interface DrawnPage {
  /** Path and query of the page's URL. */
  address: string
  /** Path of the file that the build writes. The server finds the page by this path. */
  file: string
  html: string
  head: PageHead
  /** The source files of the page and of the view. Their scripts and styles are added to the page. */
  sources: string[]
}
