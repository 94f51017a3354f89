import { useData, withBase } from 'vitepress'
import { defineComponent, h } from 'vue'

interface Listed {
  name: string
  purpose: string
  pages: { text: string; link: string }[]
}

/** The list of all pages, grouped by kind. It is below the text of the home page. */
export const Contents = defineComponent(() => {
  const { theme } = useData<{ contents: Listed[] }>()
  return () =>
    h(
      'nav',
      { class: 'contents vp-doc', 'aria-label': 'All pages' },
      theme.value.contents.map((kind) =>
        h('section', null, [
          h('h2', null, kind.name),
          h('p', null, kind.purpose),
          h(
            'ul',
            null,
            kind.pages.map((page) => h('li', null, h('a', { href: withBase(page.link) }, page.text))),
          ),
        ]),
      ),
    )
})
