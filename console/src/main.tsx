import { createRoot } from 'react-dom/client'
import { takeTokensFromAddress } from './api/token.ts'
import { App } from './app.tsx'
import { ignoreComposedKeys } from './ui/input-method.ts'
import { ignoreStrayFiles } from './ui/stray-files.ts'
import './ui/base.css'

takeTokensFromAddress()
ignoreComposedKeys(window)
ignoreStrayFiles(window)
createRoot(document.getElementById('root')!).render(<App />)
