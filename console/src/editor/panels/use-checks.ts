import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { ApiFailure } from '../../api/api-failure.ts'
import { call } from '../../api/call.ts'
import type { EditorStore } from '../model/editor-store.ts'
import type { Graph } from '../model/graph.ts'
import type { Checks } from '../workflow-editor.ts'
import { readFindings } from './read-findings.ts'

const rest = 300
/** Longer with every failure in a row. */
const pauseAfter = (failures: number): number => Math.min(30_000, 1000 * 2 ** failures)

/** What the server refuses to look at it refuses again; saving tells the person why. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiFailure) ||
  error.reason === 'unreachable' ||
  error.status >= 500 ||
  error.status === 429

interface Answered {
  graph: Graph | undefined
  checks: Omit<Checks, 'isPending'>
}

/** Asks the server about the graph a moment after each change. */
export function useChecks(store: EditorStore): Checks {
  const graph = useSyncExternalStore(store.subscribe, () => store.state().graph)
  const [answered, setAnswered] = useState<Answered>({
    graph: undefined,
    checks: { runnable: false, findings: [], outline: {} },
  })
  const isFirst = useRef(true)
  useEffect(() => {
    const aborting = new AbortController()
    let timer: ReturnType<typeof setTimeout>
    let failures = 0
    const check = async (): Promise<void> => {
      isFirst.current = false
      try {
        const body = { workflow: graph, outline: true }
        const answer = await call('POST /api/v1/workflow/check', { body, signal: aborting.signal })
        const { runnable, outline = {} } = answer
        setAnswered({ graph, checks: { runnable, findings: readFindings(answer, graph), outline } })
      } catch (error) {
        if (aborting.signal.aborted) return
        if (!mayPass(error)) return
        timer = setTimeout(check, pauseAfter(failures))
        failures += 1
      }
    }
    // Nobody is typing yet when a workflow is opened.
    timer = setTimeout(check, isFirst.current ? 0 : rest)
    return () => {
      clearTimeout(timer)
      aborting.abort()
    }
  }, [graph])
  return { ...answered.checks, isPending: answered.graph !== graph }
}
