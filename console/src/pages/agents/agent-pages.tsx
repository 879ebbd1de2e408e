import type { PageProps } from '../page-props.ts'
import { AgentPage } from './agent-page.tsx'
import { AgentsPage } from './agents-page.tsx'
import './agents.css'
import './chat/chat.css'

/** `#/agents`, and one agent below it. */
export function AgentPages({ segments }: PageProps) {
  const [id, ...rest] = segments
  // Another agent is another page: no state may carry over.
  return id === undefined ? <AgentsPage /> : <AgentPage key={id} id={id} segments={rest} />
}
