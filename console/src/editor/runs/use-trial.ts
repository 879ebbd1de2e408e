import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { parseExact } from '../../api/exact-json.ts'
import type { GraphNode } from '../model/graph.ts'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { keyOf, type NeededValue, neededValues, trialOf, valueInRun } from './needed-values.ts'
import type { WatchedRun } from './use-run.ts'
import { viewOfDetails } from './view-from-trace.ts'

/** A value that is being typed. */
export interface TrialField {
  needed: NeededValue
  key: string
  text: string
  /** Whether the text is JSON, or the value itself. */
  isJson: boolean
  isWrong: boolean
}

const query: NeededValue = { from: 'inputs', nodeId: '', name: 'query' }

const typed = (value: unknown): { text: string; isJson: boolean } =>
  value === undefined || typeof value === 'string'
    ? { text: value ?? '', isJson: false }
    : { text: JSON.stringify(value, null, 2), isJson: true }

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: parseExact(text) }
  } catch {
    return undefined
  }
}

/** The latest successful run of the workflow, for the outputs of its nodes. */
function useLatestRun(workflowId: string) {
  return useQuery({
    queryKey: ['runs', 'latest', workflowId],
    queryFn: async ({ signal }) => {
      const query = { id: workflowId, status: 'succeeded', page: 1, page_size: 1 } as const
      const { items } = await call('GET /api/v1/workflow/runs', { query, signal })
      if (!items[0]) return null
      const params = { run_id: items[0].run_id }
      return viewOfDetails(await call('GET /api/v1/workflow/runs/{run_id}', { params, signal }))
    },
  })
}

type Typed = ReadonlyMap<string, { text: string; isJson: boolean }>

/** What was typed for runs of single nodes; it outlives their forms. */
export const useTyped = () => useState<Typed>(new Map())

/** Runs one node alone, with values for everything it refers to. */
export function useTrial(
  node: GraphNode,
  run: WatchedRun,
  [changed, setChanged]: ReturnType<typeof useTyped>,
) {
  const { workflowId, saving, checks } = useWorkflowEditor()
  const { graph } = useEditorState()
  const latest = useLatestRun(workflowId)
  const [isBusy, setIsBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()

  const needed = neededValues(node, graph, id =>
    Object.hasOwn(checks.outline, id) ? (checks.outline[id]?.outputs ?? []) : [],
  )
  // Search and model nodes may use the question without a reference.
  const all = needed.some(each => keyOf(each) === keyOf(query)) ? needed : [...needed, query]
  const fields = all.map((each): TrialField => {
    const key = keyOf(each)
    const before = run.view && valueInRun(each, run.view)
    const prefilled = before ?? (latest.data ? valueInRun(each, latest.data) : undefined)
    const now = changed.get(key) ?? typed(prefilled)
    return { needed: each, key, ...now, isWrong: now.isJson && parsed(now.text) === undefined }
  })

  const start = async (): Promise<void> => {
    const values = fields.map(
      ({ needed: each, text, isJson }) => [each, isJson ? parsed(text)?.value : text] as const,
    )
    setIsBusy(true)
    setFailure(undefined)
    try {
      await saving.flush()
      const body = { id: workflowId, node_id: node.id, ...trialOf(values) }
      const { run_id } = await call('POST /api/v1/workflow/debug', { body })
      await run.watch.open(run_id)
    } catch (error) {
      setFailure(error)
    } finally {
      setIsBusy(false)
    }
  }
  return {
    fields,
    change: (key: string, value: { text: string; isJson: boolean }) =>
      setChanged(before => new Map(before).set(key, value)),
    start,
    isBusy,
    isReady: fields.every(({ isWrong }) => !isWrong),
    failure,
  }
}
