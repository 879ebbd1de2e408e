import type { AgentRecord } from '../agent-record.ts'
import type { ChatAgent } from './chat.tsx'

/** What a chat needs to know of an agent. Settings may be of any form; only what fits is shown. */
export function chatAgentOf({ id, name, config }: AgentRecord): ChatAgent {
  const { prologue, recommendation_question: questions } = config
  return { id, name, prologue: prologue ?? '', questions: questions ?? [] }
}
