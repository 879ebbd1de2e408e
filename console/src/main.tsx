import { createRoot } from 'react-dom/client'
import { takeTokensFromAddress } from './api/token.ts'
import { App } from './app.tsx'
import './ui/base.css'

takeTokensFromAddress()
createRoot(document.getElementById('root')!).render(<App />)
