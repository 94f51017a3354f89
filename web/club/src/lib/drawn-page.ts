/** What the head of a document says about its page. */
export interface PageHead {
  title: string
  description: string
  robots: string
  canonical: string | undefined
  /** JSON. */
  structured: string | undefined
}

/** A page, or the view of a page that a query shows, as it is drawn at build time. */
export interface DrawnPage {
  /** Path and query. */
  address: string
  /** Where the build puts it: the server finds a page by its file. */
  file: string
  html: string
  head: PageHead
  /** The source files of the page and of the view, for the scripts and styles that belong to them. */
  sources: string[]
}
