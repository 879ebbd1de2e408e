import { useEffect, useState, useSyncExternalStore } from 'react'
import { Autosave as Saver } from '../model/autosave.ts'
import type { AutosaveState } from '../model/autosave-ports.ts'
import type { EditorStore } from '../model/editor-store.ts'
import type { Graph, Positions } from '../model/graph.ts'
import type { Saving } from '../workflow-editor.ts'
import { forgetDraft, keepDraft } from './draft.ts'
import { saveBoth } from './save-both.ts'
import { workflowPorts } from './workflow-ports.ts'

export interface LoadedWorkflow {
  id: string
  version: number
  graph: Graph
  /** Where the server has the nodes placed; those of the store where it is not told. */
  positions?: Positions
  /** Where this browser keeps what is not saved yet. */
  draftKey: string
}

export interface Autosave extends Saving {
  /** Somebody else saved meanwhile: their version, and the one that both began with. */
  conflict: { base: Graph; theirs: Graph; theirVersion: number } | undefined
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
    const stopKeeping = keepDrafts(fresh, store, begun.draftKey)
    return () => {
      stopWatching()
      void leave(fresh, store, begun.id).finally(stopKeeping)
    }
  }, [store, begun, mayWrite])
  const state = useSyncExternalStore(saver?.subscribe ?? never, saver?.state ?? (() => initialOf(begun)))
  return {
    ...state,
    flush: saver?.flush ?? (async () => {}),
    settle: saver?.settle ?? (() => {}),
  }
}

/** Not at every letter: a large graph is a long text. */
const draftMilliseconds = 300

const never = (): (() => void) => () => {}

const initial = new WeakMap<LoadedWorkflow, AutosaveState>()
/** The same object for the same workflow, as useSyncExternalStore wants it. */
function initialOf(loaded: LoadedWorkflow): AutosaveState {
  let state = initial.get(loaded)
  if (!state) {
    state = { status: 'saved', version: loaded.version, error: undefined, conflict: undefined }
    initial.set(loaded, state)
  }
  return state
}

/** Saves when the tab is hidden, as it may never come back, and asks before unsaved changes are left behind. */
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

/** While the server does not have everything, this browser has it. Gives what ends that, after a last look. */
function keepDrafts(saver: Saver, store: EditorStore, key: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = (): void => {
    timer = undefined
    const { graph, version } = saver.saved()
    if (saver.state().status === 'saved') forgetDraft(key)
    else keepDraft(key, { version, base: graph, mine: store.state().graph })
  }
  const lookSoon = (): void => {
    timer ??= setTimeout(look, draftMilliseconds)
  }
  const endings = [saver.subscribe(lookSoon), store.subscribe(lookSoon)]
  return () => {
    for (const end of endings) end()
    clearTimeout(timer)
    look()
  }
}

/** The editor is closed: what is not saved yet is saved, and what nobody decided on goes into the history. */
async function leave(saver: Saver, store: EditorStore, id: string): Promise<void> {
  // Nothing is shown any more that could tell of a failure.
  await saver.flush().catch(() => {})
  const { conflict } = saver.state()
  saver.stop()
  if (!conflict) return
  const { theirs, theirVersion } = conflict
  await saveBoth(id, { kept: store.state().graph, current: theirs, version: theirVersion }).catch(() => {})
}
