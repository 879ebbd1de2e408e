import { useQueryClient } from '@tanstack/react-query'
import { Input } from 'antd'
import { useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import type { Autosave } from '../../editor/saving/use-autosave.ts'
import { tagOf } from '../../editor/saving/workflow-ports.ts'
import { useWorkflowEditor } from '../../editor/workflow-editor.ts'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import { useEditorWords } from './editor-words.ts'

/** Stores a new name with the graph as the server has it, and gives the versions before and after. */
async function rename(id: string, name: string): Promise<{ before: number; after: number } | undefined> {
  const { workflow } = await call('GET /api/v1/workflow', { query: { id } })
  if (!workflow) return undefined
  const { config, version } = workflow
  const headers = { 'if-match': tagOf(version) }
  const saved = await call('POST /api/v1/workflow/update', { body: { id, workflow: config, name }, headers })
  return { before: version, after: saved.version }
}

/** The name, which is changed where it stands. */
export function WorkflowName({ autosave, onName }: { autosave: Autosave; onName(name: string): void }) {
  const words = useEditorWords()
  const { workflowId, name, mayWrite } = useWorkflowEditor()
  const [typed, setTyped] = useState<string>()
  const queries = useQueryClient()
  const tellFailure = useTellFailure()
  // The version may grow while the name is on its way.
  const latest = useRef(autosave)
  latest.current = autosave

  const keep = async (): Promise<void> => {
    const next = typed?.trim()
    setTyped(undefined)
    if (!next || next === name) return
    onName(next)
    try {
      await autosave.flush()
      const versions = await rename(workflowId, next)
      // What somebody else saved meanwhile is left for the next save to find and merge.
      if (versions && versions.before === latest.current.version) latest.current.settle(versions.after)
      await queries.invalidateQueries({ queryKey: ['workflows'] })
    } catch (error) {
      onName(name)
      tellFailure(error)
    }
  }
  if (!mayWrite) return <h1 className="editor-name">{name || workflowId}</h1>
  return (
    <>
      <h1 className="visually-hidden">{name || workflowId}</h1>
      <Input
        className="editor-name"
        variant="borderless"
        maxLength={200}
        aria-label={words.name}
        title={words.name}
        placeholder={workflowId}
        value={typed ?? name}
        onChange={event => setTyped(event.target.value)}
        onBlur={keep}
        onKeyDown={event => {
          if (event.key === 'Escape') setTyped(undefined)
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) event.currentTarget.blur()
        }}
      />
    </>
  )
}
