import { useEffect, useState } from 'react'
import { onSignedOut } from '../../../api/token.ts'
import type { AgentRecord } from '../agent-record.ts'
import { type AgentDraft, draftOf, type Editing, isChanged, isSame, rebased } from './agent-draft.ts'

/** Unsaved input survives visiting another page. */
const kept = new Map<string, Editing>()
onSignedOut(() => kept.clear())

export interface DraftControl {
  draft: AgentDraft
  isDirty: boolean
  edit: (change: Partial<AgentDraft>) => void
  /** Resets to the saved state. */
  discard: () => void
  /** This draft is saved; later input is kept. */
  settle: (saved: AgentDraft) => void
}

export function useDraft(agent: AgentRecord): DraftControl {
  const [edited, setEdited] = useState(() => kept.get(agent.id))
  const draft = edited ? rebased(edited, agent) : draftOf(agent)
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
    edit: change =>
      setEdited(before => ({
        base: agent,
        draft: { ...(before ? rebased(before, agent) : draftOf(agent)), ...change },
      })),
    discard: () => setEdited(undefined),
    settle: saved =>
      setEdited(before => (before && isSame(rebased(before, agent), saved) ? undefined : before)),
  }
}
