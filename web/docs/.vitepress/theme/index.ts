import { useData } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import { Contents } from './contents.ts'
import './fonts.css'
import '../../../ui/src/styles/tokens.css'
import './colours.css'
import './code.css'
import './page.css'

export default {
  extends: DefaultTheme,
  Layout: () => {
    const { page } = useData()
    return h(DefaultTheme.Layout, null, {
      'doc-footer-before': () => (page.value.relativePath === 'index.md' ? h(Contents) : null),
    })
  },
}
