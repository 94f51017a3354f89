import { useEffect } from 'react'

/** The key / moves the focus to the search field of the tab, unless the user is typing or a dialog is open. */
export function useSearchKey() {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
      const target = event.target instanceof Element ? event.target : null
      if (target?.closest('input, textarea, select, [role=dialog], [role=alertdialog]')) return
      const search = document.querySelector<HTMLInputElement>('[data-search]')
      if (!search) return
      event.preventDefault()
      search.focus()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}
