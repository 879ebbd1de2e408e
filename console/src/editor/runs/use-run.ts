import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { onSignedOut } from '../../api/token.ts'
import { navigate, pathTo, usePlace } from '../../ui/router.ts'
import { useWorkflowEditor, type WorkflowEditor } from '../workflow-editor.ts'
import { runServer } from './run-server.ts'
import { areSameMarks, isSettled, marksOf } from './run-view.ts'
import { RunWatch, type WatchState } from './run-watch.ts'

/** Watched runs by workflow, so that returning to an editor shows the same run. The most recently used one is last. */
const watches = new Map<string, RunWatch>()
const maxWatches = 5

// The next user must not see the previous user's data.
onSignedOut(() => {
  for (const watch of watches.values()) watch.close()
  watches.clear()
})

export function watchOf(workflowId: string): RunWatch {
  const watch = watches.get(workflowId) ?? new RunWatch(runServer())
  watches.delete(workflowId)
  watches.set(workflowId, watch)
  for (const [id, old] of [...watches].slice(0, -maxWatches)) {
    old.close()
    watches.delete(id)
  }
  return watch
}

export interface WatchedRun extends WatchState {
  watch: RunWatch
}

/** Whether another run cannot be started yet. */
export const isBusy = ({ view, connection }: WatchedRun): boolean =>
  view !== undefined && !isSettled(view.status) && connection !== 'lost'

/** The run that the editor watches, shown on its canvas. */
export function useRun(): WatchedRun {
  const { workflowId, setMarks } = useWorkflowEditor()
  const watch = useMemo(() => watchOf(workflowId), [workflowId])
  useEffect(() => drawMarks(watch, setMarks), [watch, setMarks])
  const run = useWatched(watch)
  useRunInAddress(workflowId, run)
  return run
}

/** Marks the nodes of the run until cleanup. */
function drawMarks(watch: RunWatch, setMarks: WorkflowEditor['setMarks']): () => void {
  let drawn = marksOf(undefined)
  const draw = (): void => {
    const marks = marksOf(watch.state().view)
    if (areSameMarks(drawn, marks)) return
    drawn = marks
    setMarks(marks)
  }
  draw()
  return watch.subscribe(draw)
}

const addressOf = (workflowId: string, query: URLSearchParams): string => {
  const search = query.toString()
  return `${pathTo('workflows', workflowId)}${search === '' ? '' : `?${search}`}`
}

/** The run's id is in the URL, so that a reload or a shared link opens the same run. */
function useRunInAddress(workflowId: string, { watch, view }: WatchedRun): void {
  const { segments, query } = usePlace()
  const isHere = segments[0] === 'workflows' && segments[1] === workflowId
  const wanted = query.get('run') || undefined
  const runId = view?.runId || undefined
  const followed = useRef<string>(undefined)
  useEffect(() => {
    if (!isHere) return
    if (wanted !== undefined && wanted !== followed.current) {
      followed.current = wanted
      if (wanted !== watch.state().view?.runId) void watch.open(wanted)
      return
    }
    const isClosed = view === undefined && watch.state().connection === 'idle'
    if (runId === wanted || (runId === undefined && !isClosed)) return
    followed.current = runId
    const next = new URLSearchParams(query)
    if (runId === undefined) next.delete('run')
    else next.set('run', runId)
    navigate(addressOf(workflowId, next), { replace: true })
  }, [isHere, wanted, runId, view, watch, workflowId, query])
}

/** A run by its id, while it is shown. */
export function useRunById(runId: string): WatchedRun {
  const watch = useMemo(() => new RunWatch(runServer()), [])
  useEffect(() => {
    void watch.open(runId)
    return () => watch.close()
  }, [watch, runId])
  return useWatched(watch)
}

function useWatched(watch: RunWatch): WatchedRun {
  const state = useSyncExternalStore(watch.subscribe, watch.state)
  const queries = useQueryClient()
  const { runId, status } = state.view ?? {}
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that begins or ends changes the lists of runs
  useEffect(() => {
    if (runId) void queries.invalidateQueries({ queryKey: ['runs'] })
  }, [queries, runId, status])
  return { ...state, watch }
}
