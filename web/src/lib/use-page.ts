import { useEffect } from 'react'
import { getSettings } from './config'

/** What search engines and the browser's tab say about a page. */
export interface PageInfo {
  /** The page's own name; the club's name is added. Empty on the home page. */
  title: string
  description: string
  /** Path of the page, for the canonical link; absent for pages that are not to be found (errors, back-office). */
  path?: string
  /** schema.org structured data. */
  structured?: object
}

/** Sets title, description, canonical link and structured data of the page while it is shown. */
export function usePage({ title, description, path, structured }: PageInfo) {
  const structuredText = structured ? JSON.stringify(structured) : undefined
  useEffect(() => {
    const { clubName, websiteUrl } = getSettings()
    document.title = title === '' ? clubName : `${title} | ${clubName}`
    element('meta[name=description]', 'meta', { name: 'description' }).setAttribute('content', description)
    const robots = element('meta[name=robots]', 'meta', { name: 'robots' })
    robots.setAttribute('content', path === undefined ? 'noindex' : 'index, follow')
    const added: Element[] = []
    if (path !== undefined) {
      added.push(append('link', { rel: 'canonical', href: new URL(path, websiteUrl).href }))
    }
    if (structuredText !== undefined) {
      // A data block is not run, so the content security policy lets it pass.
      const data = append('script', { type: 'application/ld+json' })
      data.textContent = structuredText
      added.push(data)
    }
    return () => added.forEach((node) => node.remove())
  }, [title, description, path, structuredText])
}

function element(selector: string, tag: string, attributes: Record<string, string>): Element {
  return document.head.querySelector(selector) ?? append(tag, attributes)
}

function append(tag: string, attributes: Record<string, string>): Element {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  document.head.append(node)
  return node
}
