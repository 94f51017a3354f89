import '@testing-library/jest-dom/vitest'
import { cleanup } from '@testing-library/react'
import { afterEach } from 'vitest'

afterEach(() => {
  cleanup()
  localStorage.clear()
  sessionStorage.clear()
})

// jsdom has no layout, so scrolling does nothing.
Element.prototype.scrollIntoView = () => undefined
window.scrollTo = () => undefined
