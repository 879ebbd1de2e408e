import { useEffect, useState, useSyncExternalStore } from 'react'
import { readHolder } from '../../api/token.ts'
import { Autosave as Saver } from '../model/autosave.ts'
import type { AutosaveState, SaveConflict } from '../model/autosave-ports.ts'
import type { EditorStore } from '../model/editor-store.ts'
import type { Graph, Positions } from '../model/graph.ts'
import { type MergeChoices, mergeGraphs } from '../model/merge-graphs.ts'
import type { Saving } from '../workflow-editor.ts'
import type { Drafts } from './draft.ts'
import { workflowPorts } from './workflow-ports.ts'

export interface LoadedWorkflow {
  id: string
  version: number
  graph: Graph
  /** Where the server has the nodes placed; those of the store where it is not told. */
  positions?: Positions
  /** What an earlier visit sent without hearing how it ended. */
  sent?: readonly Graph[]
  /** Where this browser keeps what is not saved yet. */
  drafts: Drafts
}

export interface Autosave extends Saving {
  /** Somebody else saved meanwhile: their version, and the one that both began with. */
  conflict: SaveConflict | undefined
  /** Ends the conflict as a person decided. */
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

/** Not at every letter: a large graph is a long text. */
const draftMilliseconds = 300

const nothing = async (): Promise<void> => {}
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
function keepDrafts(saver: Saver, store: EditorStore, drafts: Drafts): () => void {
  const { number } = readHolder()
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = (): void => {
    timer = undefined
    // Whoever signed out leaves nothing behind for the next person at this browser.
    if (readHolder().number !== number) return
    if (saver.state().status === 'saved') drafts.forget()
    else drafts.keep(saver.unsaved())
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
async function leave(saver: Saver, store: EditorStore): Promise<void> {
  // Nothing is shown any more that could tell of a failure; what it leaves unsaved is kept by the browser.
  await saver.flush().catch(() => {})
  const { conflict } = saver.state()
  if (conflict) {
    const { conflicts } = mergeGraphs(conflict.base, store.state().graph, conflict.theirs)
    await saver.resolve(Object.fromEntries(conflicts.map(({ id }) => [id, 'theirs']))).catch(() => {})
  }
  saver.stop()
}
