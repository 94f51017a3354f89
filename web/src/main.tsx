import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { loadConfig } from './lib/config'
import './styles/index.css'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id root')

try {
  await loadConfig()
} catch (error) {
  // The pages can be read without the server; forms try again when they are sent.
  console.warn('The site’s configuration could not be loaded.', error)
}

createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
