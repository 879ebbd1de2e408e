import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { takeTokenFromAddress } from './session/token.ts'
import './ui/base.css'

takeTokenFromAddress()
createRoot(document.getElementById('root')!).render(<App />)
