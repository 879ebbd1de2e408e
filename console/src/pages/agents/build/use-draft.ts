import { useEffect, useState } from 'react'
import { onTokenChange } from '../../../api/token.ts'
import type { AgentRecord } from '../agent-record.ts'
import { type AgentDraft, draftOf, isChanged } from './agent-draft.ts'

/** What was typed and not saved outlives a look at another page. */
const kept = new Map<string, AgentDraft>()
onTokenChange(() => kept.clear())

export interface DraftControl {
  draft: AgentDraft
  isDirty: boolean
  edit: (change: Partial<AgentDraft>) => void
  /** Back to what is saved. */
  discard: () => void
  /** This draft is saved; what was typed since then stays. */
  settle: (saved: AgentDraft) => void
}

export function useDraft(agent: AgentRecord): DraftControl {
  const [edited, setEdited] = useState(() => kept.get(agent.id))
  const draft = edited ?? draftOf(agent)
  const isDirty = isChanged(agent, draft)
  useEffect(() => {
    if (edited && isDirty) kept.set(agent.id, edited)
    else kept.delete(agent.id)
  }, [agent.id, edited, isDirty])
  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isDirty])
  return {
    draft,
    isDirty,
    edit: change => setEdited(before => ({ ...(before ?? draftOf(agent)), ...change })),
    discard: () => setEdited(undefined),
    settle: saved => setEdited(before => (before === saved ? undefined : before)),
  }
}
