import { alignGraphs } from './align-graphs.ts'
import {
  type AutosavePorts,
  type AutosaveState,
  type LoadedWorkflow,
  pauseAfter,
  type SaveConflict,
  type SavedWorkflow,
  saveDelay,
  UnsettledConflict,
} from './autosave-ports.ts'
import type { EditorStore } from './editor-store.ts'
import type { Graph, Positions } from './graph.ts'
import { type MergeChoices, mergeGraphs, resolveMerge } from './merge-graphs.ts'
import { PlaceSaver } from './place-saver.ts'
import { sameJson } from './same-json.ts'
import { SaveTimer } from './save-timer.ts'
import { SentGraphs } from './sent-graphs.ts'

/**
 * Saves what is edited a moment after each change, by compare-and-swap, one save at a time. What others saved meanwhile
 * is merged in; where that needs a decision, nothing is saved until it is settled. No edit is ever given up.
 */
export class Autosave {
  readonly #store: EditorStore
  readonly #ports: AutosavePorts
  readonly #places: PlaceSaver
  readonly #listeners = new Set<() => void>()
  readonly #unsubscribe: () => void
  readonly #sent: SentGraphs
  /** Of the graph alone. */
  #own: AutosaveState
  #state: AutosaveState
  /** What the server has as `version`. */
  #saved: Graph
  /** What is on its way to the server. */
  #sending: Graph | undefined
  #seen: Graph
  #failures = 0
  readonly #timer: SaveTimer
  #working: Promise<void> | undefined
  #resolving: Promise<void> | undefined
  #isAbandoned = false

  constructor(store: EditorStore, loaded: LoadedWorkflow, ports: AutosavePorts) {
    this.#store = store
    this.#ports = ports
    this.#timer = new SaveTimer(ports, () => void this.#work())
    this.#saved = loaded.graph
    this.#seen = loaded.graph
    this.#sent = new SentGraphs(loaded.sent ?? [], ports)
    this.#own = { status: 'saved', version: loaded.version, error: undefined, conflict: undefined }
    this.#state = this.#own
    const placed = loaded.positions ?? store.state().positions
    this.#places = new PlaceSaver(store, placed, ports, {
      stored: () => this.#saved,
      tell: () => this.#show({}),
    })
    this.#unsubscribe = store.subscribe(() => this.#noticeChange())
    this.#noticeChange()
    this.#show({})
  }

  readonly state = (): AutosaveState => this.#state

  /** What is not saved yet, with what it began with: enough to merge it in later. */
  readonly unsaved = () => ({
    version: this.#own.version,
    base: this.#own.conflict?.base ?? this.#saved,
    mine: this.#store.state().graph,
    sent: [...this.#sent.graphs, ...(this.#sending ? [this.#sending] : [])],
    places: this.#places.pending(),
  })

  readonly subscribe = (listener: () => void): (() => void) => {
    const own = () => listener()
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** Saves at once; gives the version once the server has all that was edited before the call. */
  readonly flush = async (): Promise<number> => {
    if (this.#isAbandoned) return this.#own.version
    const placing = this.#places.flush()
    if (this.#working) await this.#working
    await this.#work()
    if (this.#own.conflict) throw new UnsettledConflict()
    if (this.#own.status === 'failed') throw this.#own.error
    await placing
    // Those of nodes that were new.
    await this.#places.flush()
    return this.#own.version
  }

  /** Goes on from a version that was made elsewhere, as by rolling back. What came of it is in the store already. */
  readonly settle = (version: number): void => {
    if (this.#own.conflict) return
    // Nobody told what that version holds, so that the next save has to find out.
    this.#sent.clear()
    this.#sent.add(this.#store.state().graph)
    this.#failures = 0
    this.#show({ version, error: undefined, status: 'changed' })
    this.#timer.start(0)
  }

  /** Merges in what the server has now, as when something else than a save was refused for its version. */
  readonly refresh = async (): Promise<void> => {
    if (this.#working) await this.#working
    await this.#work(async () => {
      this.#show({ status: 'saving' })
      return (await this.#takeTheirs()) && (await this.#save())
    })
    if (this.#own.conflict) throw new UnsettledConflict()
    if (this.#own.status === 'failed') throw this.#own.error
  }

  /**
   * Ends a conflict as a person decided. With mine wherever there is a clash it goes into the history first (beside
   * theirs, which is there), and from then on the server has a version that we know: whatever happens to what was
   * decided, it is saved as any other edit. Rejects while there is still something to decide.
   */
  readonly resolve = (choices: MergeChoices): Promise<void> => {
    this.#resolving ??= this.#resolve(choices).finally(() => {
      this.#resolving = undefined
    })
    return this.#resolving
  }

  /** What is here was stored elsewhere: nothing of it is left to save. */
  readonly abandon = (): void => {
    this.#isAbandoned = true
    this.stop()
    this.#show({})
  }

  /** Nothing begins any more; what is on its way to the server gets there. */
  readonly stop = (): void => {
    this.#unsubscribe()
    this.#places.stop()
    this.#timer.stop()
  }

  #noticeChange(): void {
    const { graph } = this.#store.state()
    if (graph === this.#seen) return
    this.#seen = graph
    const { status, conflict } = this.#own
    // What changes now is saved when the save, the pause or the conflict that is under way is over.
    if (status === 'saving' || conflict || this.#timer.isPausing) return
    if (status === 'saved') this.#show({ status: 'changed' })
    this.#timer.start(saveDelay)
  }

  /** Saves, or waits for the save that is under way. It never rejects: how it went is in the state. */
  #work(task = () => this.#save()): Promise<void> {
    this.#working ??= this.#workAndTell(task).finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  async #workAndTell(task: () => Promise<boolean>): Promise<void> {
    if (this.#own.conflict) return
    this.#timer.clear()
    try {
      if (!(await task())) return
      this.#failures = 0
      const status = this.#isSaved() ? 'saved' : 'changed'
      this.#show({ status, error: undefined })
      // Not at once: whoever types without a pause would leave a version for every letter.
      if (status === 'changed') this.#timer.start(saveDelay)
    } catch (error) {
      this.#failures++
      this.#show({ status: 'failed', error })
      // What cannot pass waits for the next edit, which may mend it.
      if (this.#mayPass(error)) this.#timer.start(pauseAfter(this.#failures), true)
    }
  }

  /** Whether the server has the graph now as it was when the last save began; not if there is something to settle. */
  async #save(): Promise<boolean> {
    while (!this.#isSaved()) {
      const { graph } = this.#store.state()
      this.#show({ status: 'saving' })
      try {
        this.#knowSaved(graph, await this.#send(graph, this.#own.version))
        return true
      } catch (error) {
        if (!this.#ports.isConflict(error)) throw error
        if (!(await this.#takeTheirs(error))) return false
      }
    }
    return true
  }

  /** Gives the version that it became. */
  async #send(graph: Graph, from: number): Promise<number> {
    this.#sending = graph
    try {
      return (await this.#ports.save(graph, from)).version
    } catch (error) {
      if (!this.#ports.isConflict(error) && this.#mayPass(error)) this.#sent.add(graph)
      throw error
    } finally {
      this.#sending = undefined
    }
  }

  /** Merges what the server has into what is edited here; false when a person has to decide. */
  async #takeTheirs(refusal?: unknown): Promise<boolean> {
    const theirs = await this.#ports.readCurrent()
    if (theirs.version === this.#own.version) {
      // Refused, and yet nobody saved anything: asking again at once would go on for ever.
      if (refusal !== undefined) throw refusal
      return true
    }
    return this.#meet((await this.#sent.findStored(this.#own.version, theirs)) ?? this.#saved, theirs)
  }

  /** Merges another graph in; what the server has of it may differ. */
  #meet(began: Graph, current: SavedWorkflow, stored = current.graph): boolean {
    const { base, theirs, renamed } = alignGraphs(began, this.#store.state().graph, current.graph)
    for (const [id, to] of renamed) this.#store.edit({ type: 'node.rename', id, to }, { silent: true })
    const { graph } = this.#store.state()
    const merged = mergeGraphs(base, graph, theirs)
    const { version: theirVersion, positions = {} } = current
    if (merged.conflicts.length > 0) {
      // No earlier try can get there any more.
      this.#sent.clear()
      const conflict = { base, theirs, theirVersion, positions }
      this.#show({ status: 'conflict', conflict, error: undefined })
      return false
    }
    this.#knowSaved(stored, theirVersion)
    if (merged.graph !== graph) this.#take(merged.graph, positions)
    return true
  }

  /** Puts a merged graph into the editor. No step for undo, which would take back what somebody else did. */
  #take(graph: Graph, theirPlaces: Positions): void {
    const positions = this.#places.adopt(graph, theirPlaces)
    const edits = [{ type: 'graph.replace', graph } as const, { type: 'nodes.move', positions } as const]
    this.#store.edit({ type: 'many', edits }, { silent: true })
  }

  async #resolve(choices: MergeChoices): Promise<void> {
    const { conflict } = this.#own
    if (!conflict) return
    const { base, theirs } = conflict
    const mine = this.#store.state().graph
    // Not mine alone, which would take back for a moment, or for good, what only they did.
    const kept = await this.#keepInHistory(mergeGraphs(base, mine, theirs).graph, conflict)
    if (kept) {
      const graph = resolveMerge(base, mine, theirs, choices)
      // What was edited during the save is merged into what was decided before it.
      const { version } = kept
      this.#meet(mine, { graph, version, positions: conflict.positions }, kept.graph)
    }
    if (this.#working) await this.#working
    await this.#work()
  }

  /** What the server has now; undefined when a newer version of theirs was merged in without a question. */
  async #keepInHistory(graph: Graph, conflict: SaveConflict): Promise<SavedWorkflow | undefined> {
    const { base, theirVersion } = conflict
    try {
      return { graph, version: await this.#send(graph, theirVersion) }
    } catch (error) {
      if (!this.#ports.isConflict(error)) throw error
      const current = await this.#ports.readCurrent()
      const stored = await this.#sent.findStored(theirVersion, current)
      if (stored) return { graph: stored, version: theirVersion + 1 }
      if (current.version === theirVersion || !this.#meet(base, current)) throw error
      return undefined
    }
  }

  #knowSaved(graph: Graph, version: number): void {
    this.#saved = graph
    this.#sent.clear()
    this.#show({ version, conflict: undefined })
    this.#places.goOn()
  }

  #isSaved(): boolean {
    // While nobody knows what became of a try, the server may have what was taken back here since.
    if (this.#sent.graphs.length > 0) return false
    const { graph } = this.#store.state()
    return graph === this.#saved || sameJson(graph, this.#saved)
  }

  #mayPass(error: unknown): boolean {
    return this.#ports.mayPass?.(error) ?? true
  }

  #show(change: Partial<AutosaveState>): void {
    this.#own = { ...this.#own, ...change }
    const isPlacing = this.#own.status === 'saved' && !this.#isAbandoned
    const shown: AutosaveState = {
      ...this.#own,
      ...(this.#isAbandoned && { status: 'saved', error: undefined }),
      ...(isPlacing && this.#places.status()),
    }
    // Moving a node tells at every step, most of which change nothing here.
    if (sameShown(shown, this.#state)) return
    this.#state = shown
    for (const listener of [...this.#listeners]) listener()
  }
}

const sameShown = (one: AutosaveState, other: AutosaveState): boolean =>
  one.status === other.status &&
  one.version === other.version &&
  one.error === other.error &&
  one.conflict === other.conflict
