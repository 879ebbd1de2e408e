import { useEffect, useState, useSyncExternalStore } from 'react'
import { readHolder } from '../../api/token.ts'
import { Autosave as Saver } from '../model/autosave.ts'
import type { AutosaveState, SaveConflict } from '../model/autosave-ports.ts'
import type { EditorStore } from '../model/editor-store.ts'
import type { Graph, Positions } from '../model/graph.ts'
import { type MergeChoices, mergeGraphs } from '../model/merge-graphs.ts'
import type { Shapes } from '../model/shapes.ts'
import type { Saving } from '../workflow-editor.ts'
import type { Drafts } from './draft.ts'
import { workflowPorts } from './workflow-ports.ts'

interface LoadedWorkflow {
  id: string
  version: number
  graph: Graph
  /** The server's positions; those of the store if omitted. */
  positions?: Positions
  shapes?: Shapes
  /** Saves of an earlier visit whose result is unknown. */
  sent?: readonly Graph[]
  /** Where this browser keeps unsaved edits. */
  drafts: Drafts
}

export interface Autosave extends Saving {
  /** Another user saved in the meantime: their version, and the common base. */
  conflict: SaveConflict | undefined
  /** Resolves the conflict as the user decided. */
  resolve(choices: MergeChoices): Promise<void>
}

/** Saves graph and positions a moment after each change, by compare-and-swap. */
export function useAutosave(store: EditorStore, loaded: LoadedWorkflow, mayWrite: boolean): Autosave {
  const [begun] = useState(loaded)
  const [saver, setSaver] = useState<Saver>()
  useEffect(() => {
    if (!mayWrite) return
    const fresh = new Saver(store, begun, workflowPorts(begun.id))
    setSaver(fresh)
    const stopWatching = watchLeaving(fresh)
    const stopKeeping = keepDrafts(fresh, store, begun.drafts)
    return () => {
      stopWatching()
      void leave(fresh, store).finally(stopKeeping)
    }
  }, [store, begun, mayWrite])
  const state = useSyncExternalStore(saver?.subscribe ?? never, saver?.state ?? (() => initialOf(begun)))
  return {
    ...state,
    flush: saver?.flush ?? (async () => begun.version),
    refresh: saver?.refresh ?? nothing,
    resolve: saver?.resolve ?? nothing,
    settle: saver?.settle ?? (() => {}),
    abandon: saver?.abandon ?? (() => {}),
  }
}

/** Drafts are not written on every key press, because a large graph is a long text. */
const draftMilliseconds = 300

const nothing = async (): Promise<void> => {}
const never = (): (() => void) => () => {}

const initial = new WeakMap<LoadedWorkflow, AutosaveState>()
/** The same object for the same workflow, as useSyncExternalStore requires. */
function initialOf(loaded: LoadedWorkflow): AutosaveState {
  let state = initial.get(loaded)
  if (!state) {
    state = { status: 'saved', version: loaded.version, error: undefined, conflict: undefined }
    initial.set(loaded, state)
  }
  return state
}

/** Saves when the tab is hidden, because it may never come back, and asks before unsaved changes are lost. */
function watchLeaving(saver: Saver): () => void {
  const save = (): void => {
    if (document.visibilityState === 'hidden') saver.flush().catch(() => {})
  }
  const ask = (event: BeforeUnloadEvent): void => {
    if (saver.state().status !== 'saved') event.preventDefault()
  }
  document.addEventListener('visibilitychange', save)
  window.addEventListener('beforeunload', ask)
  return () => {
    document.removeEventListener('visibilitychange', save)
    window.removeEventListener('beforeunload', ask)
  }
}

/**
 * Keeps unsaved edits in this browser until the server has them. Returns a function that stops this after a
 * last write.
 */
function keepDrafts(saver: Saver, store: EditorStore, drafts: Drafts): () => void {
  const { number } = readHolder()
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = (): void => {
    clearTimeout(timer)
    timer = undefined
    // After sign-out nothing is kept for the next user of this browser.
    if (readHolder().number !== number) return
    if (saver.state().status === 'saved') drafts.forget()
    else drafts.keep(saver.unsaved())
  }
  const lookSoon = (): void => {
    timer ??= setTimeout(look, draftMilliseconds)
  }
  // Runs at once when everything is saved, because a draft that outlives a reload is restored.
  const lookAtStatus = (): void => (saver.state().status === 'saved' ? look() : lookSoon())
  const endings = [saver.subscribe(lookAtStatus), store.subscribe(lookSoon)]
  return () => {
    for (const end of endings) end()
    look()
  }
}

/** The editor is closed: unsaved edits are saved, and an unresolved conflict goes into the history. */
async function leave(saver: Saver, store: EditorStore): Promise<void> {
  // A failure can no longer be shown; unsaved edits stay in the browser.
  await saver.flush().catch(() => {})
  const { conflict } = saver.state()
  if (conflict) {
    const { conflicts } = mergeGraphs(conflict.base, store.state().graph, conflict.theirs)
    await saver.resolve(Object.fromEntries(conflicts.map(({ id }) => [id, 'theirs']))).catch(() => {})
  }
  saver.stop()
}
