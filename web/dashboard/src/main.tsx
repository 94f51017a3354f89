import '@cloch/ui/styles/tokens.css'
import './styles/index.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { followDensity } from './lib/density'
import { followTheme } from './lib/theme'

followTheme()
followDensity()

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
