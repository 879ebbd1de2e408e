import type { AgentRecord } from '../agent-record.ts'

/** The data of an agent that a chat needs. */
export interface ChatAgent {
  id: string
  name: string
  avatar: AgentRecord['config']['avatar']
  prologue: string
  questions: readonly string[]
  /** Whether the agent proposes the next questions. */
  suggests: boolean
}

/** The settings that a client shows. */
export function chatAgentOf({ id, name, config }: AgentRecord): ChatAgent {
  const { prologue, recommendation_question: questions, suggest_questions: suggests } = config
  const { avatar } = config
  return {
    ...{ id, name, avatar, prologue: prologue ?? '', questions: questions ?? [] },
    suggests: suggests === true,
  }
}
