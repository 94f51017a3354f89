/** What the head of a document says about its page. */
export interface PageHead {
  title: string
  description: string
  robots: string
  canonical: string | undefined
  /** JSON. */
  structured: string | undefined
}

/** A page as it is drawn at build time. */
export interface DrawnPage {
  path: string
  /** Where the build puts it: the server finds a page by its file. */
  file: string
  html: string
  head: PageHead
  /** The page's source file, for the scripts and styles that belong to it. */
  source: string
}
