import { useQueryClient } from '@tanstack/react-query'
import { App } from 'antd'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { defineWords } from '../../../ui/words.ts'
import { type AgentRecord, agentKey, type Warning } from '../agent-record.ts'
import { changeOf } from './agent-draft.ts'
import type { DraftControl } from './use-draft.ts'

const useWords = defineWords({ saved: 'Saved' }, { saved: '已保存' })

/** Saves a draft; what the server finds wanting about it is told, and does not keep it from being saved. */
export function useSave(agent: AgentRecord, { draft, settle }: DraftControl) {
  const words = useWords()
  const queries = useQueryClient()
  const { message } = App.useApp()
  const [warnings, setWarnings] = useState<readonly Warning[]>([])
  const [error, setError] = useState<unknown>()
  const [isSaving, setIsSaving] = useState(false)

  const save = async (): Promise<void> => {
    setIsSaving(true)
    setError(undefined)
    try {
      const body = { id: agent.id, ...changeOf(agent, draft) }
      const { warnings: found, ...saved } = await call('POST /api/v1/agent/update', { body })
      queries.setQueryData(agentKey(agent.id), saved)
      settle(draft)
      setWarnings(found)
      message.success(words.saved)
      void queries.invalidateQueries({ queryKey: ['agents'] })
    } catch (problem) {
      setError(problem)
    } finally {
      setIsSaving(false)
    }
  }
  return { save, isSaving, error, warnings }
}
