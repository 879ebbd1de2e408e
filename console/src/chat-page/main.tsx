import { createRoot } from 'react-dom/client'
import { ignoreComposedKeys } from '../ui/input-method.ts'
import { overridePreferences } from '../ui/preferences.ts'
import { ignoreStrayFiles } from '../ui/stray-files.ts'
import { ChatPage } from './chat-page.tsx'
import { VisitorApi } from './visitor-api.ts'
import '../ui/base.css'
import '../pages/agents/chat/chat.css'
import './chat-page.css'

ignoreComposedKeys(window)
ignoreStrayFiles(window)
const asked = new URLSearchParams(window.location.search)
overridePreferences({ language: asked.get('lang'), theme: asked.get('theme') })
const agentId = decodeURIComponent(window.location.pathname.split('/').at(-1) ?? '')
createRoot(document.getElementById('root')!).render(
  // The bubble of embed.js closes the frame.
  <ChatPage api={new VisitorApi(agentId)} isEmbedded={asked.has('embed')} />,
)
