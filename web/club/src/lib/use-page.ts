import { createContext, useContext, useEffect } from 'react'
import { getSettings } from './config'
import type { PageHead } from './drawn-page'

/** The information about a page that search engines and the browser's tab show. */
export interface PageInfo {
  /** Title of the page, without the club's name. The club's name is added, except on the home page, where this title is empty. */
  title: string
  description: string
  /** Path of the page for the canonical link. Undefined for pages that search engines should not list (errors, back-office). */
  path?: string
  /** schema.org structured data. */
  structured?: object
}

/** The absolute URL of a page on the club's website. */
export function absoluteUrl(path: string): string {
  return getSettings().websiteUrl.replace(/\/$/, '') + path
}

function headOf({ title, description, path, structured }: PageInfo): PageHead {
  const { clubName } = getSettings()
  return {
    title: title === '' ? clubName : `${title} | ${clubName}`,
    description,
    robots: path === undefined ? 'noindex' : 'index, follow',
    canonical: path === undefined ? undefined : absoluteUrl(path),
    structured: structured ? JSON.stringify(structured) : undefined,
  }
}

/** When a page is rendered at build time, effects do not run. This function then receives the information for the page's <head>. */
export const HeadTaker = createContext<((head: PageHead) => void) | undefined>(undefined)

/** Sets title, description, canonical link and structured data of the page while it is shown. */
export function usePage(page: PageInfo) {
  const head = headOf(page)
  useContext(HeadTaker)?.(head)
  const { title, description, robots, canonical, structured } = head
  useEffect(() => {
    document.title = title
    meta('description', description)
    meta('robots', robots)
    // The page that the server delivered may already contain these elements.
    document.head.querySelectorAll('link[rel=canonical], script[type="application/ld+json"]').forEach((node) => node.remove())
    const added: Element[] = []
    if (canonical !== undefined) added.push(append('link', { rel: 'canonical', href: canonical }))
    if (structured !== undefined) {
      // This script element contains only data and is not executed. Therefore the content security policy allows it.
      const data = append('script', { type: 'application/ld+json' })
      data.textContent = structured
      added.push(data)
    }
    return () => added.forEach((node) => node.remove())
  }, [title, description, robots, canonical, structured])
}

function meta(name: string, content: string) {
  const node = document.head.querySelector(`meta[name=${name}]`) ?? append('meta', { name })
  node.setAttribute('content', content)
}

function append(tag: string, attributes: Record<string, string>): Element {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  document.head.append(node)
  return node
}
