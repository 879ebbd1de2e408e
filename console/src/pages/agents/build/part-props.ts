import type { AgentDraft } from './agent-draft.ts'

/** What every part of the form is handed. */
export interface PartProps {
  draft: AgentDraft
  edit: (change: Partial<AgentDraft>) => void
  isDisabled: boolean
}
