import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { parseExact } from '../../api/exact-json.ts'
import type { GraphNode } from '../model/graph.ts'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { keyOf, type NeededValue, neededValues, trialOf, valueInRun } from './needed-values.ts'
import type { TrialRequest } from './run-server.ts'
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

interface Kept {
  text: string
  isJson: boolean
  /** False if the value was filled in automatically, so that the next run of the workflow may replace it. */
  isTyped: boolean
}

/** The values of runs of single nodes; they outlive their forms. */
export const useKeptValues = () => useState<ReadonlyMap<string, Kept>>(new Map())

/** Runs one node alone, with values for everything it refers to. */
export function useTrial(
  node: GraphNode,
  run: WatchedRun,
  [kept, setKept]: ReturnType<typeof useKeptValues>,
) {
  const { workflowId, saving, checks } = useWorkflowEditor()
  const { graph } = useEditorState()
  const latest = useLatestRun(workflowId)

  const needed = neededValues(node, graph, id =>
    Object.hasOwn(checks.outline, id) ? (checks.outline[id]?.outputs ?? []) : [],
  )
  // Search and model nodes may use the question without a reference.
  const all = needed.some(each => keyOf(each) === keyOf(query)) ? needed : [...needed, query]
  const fields = all.map((each): TrialField => {
    const key = keyOf(each)
    const shown = run.view && valueInRun(each, run.view)
    const before = kept.get(key)
    const isKept = before?.isTyped || shown === undefined
    const filledIn = shown ?? (latest.data ? valueInRun(each, latest.data) : undefined)
    const { text, isJson } = (isKept && before) || typed(filledIn)
    return { needed: each, key, text, isJson, isWrong: isJson && parsed(text) === undefined }
  })

  const start = (): void => {
    const values = fields.map(
      ({ needed: each, text, isJson }) => [each, isJson ? parsed(text)?.value : text] as const,
    )
    // The run of one node has no outputs of others, which would be filled in again.
    setKept(before => {
      const used = fields.map(({ key, text, isJson }) => {
        return [key, { text, isJson, isTyped: before.get(key)?.isTyped ?? false }] as const
      })
      return new Map([...before, ...used])
    })
    void run.watch.start(async (): Promise<TrialRequest> => {
      await saving.flush()
      return { id: workflowId, node_id: node.id, ...trialOf(values) }
    })
  }
  return {
    fields,
    change: (key: string, value: { text: string; isJson: boolean }) =>
      setKept(before => new Map(before).set(key, { ...value, isTyped: true })),
    start,
    isReady: fields.every(({ isWrong }) => !isWrong),
  }
}
