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
 * Saves edits a moment after each change, by compare-and-swap, one save at a time. Changes of others are
 * merged; if that needs a decision, nothing is saved until the conflict is resolved. No edit is ever dropped.
 */
export class Autosave {
  readonly #store: EditorStore
  readonly #ports: AutosavePorts
  readonly #places: PlaceSaver
  readonly #listeners = new Set<() => void>()
  readonly #unsubscribe: () => void
  readonly #sent: SentGraphs
  /** The status of the graph only. */
  #own: AutosaveState
  #state: AutosaveState
  /** The graph that the server has as `version`. */
  #saved: Graph
  /** The graph that is being sent. */
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
    const placed = {
      positions: loaded.positions ?? store.state().positions,
      shapes: loaded.shapes ?? store.state().shapes,
    }
    this.#places = new PlaceSaver(store, placed, ports, {
      stored: () => this.#saved,
      notify: () => this.#show({}),
    })
    this.#unsubscribe = store.subscribe(() => this.#noticeChange())
    this.#noticeChange()
    this.#show({})
  }

  readonly state = (): AutosaveState => this.#state

  /** Unsaved edits with their base: enough to merge them later. */
  readonly unsaved = () => ({
    version: this.#own.version,
    base: this.#own.conflict?.base ?? this.#saved,
    mine: this.#store.state().graph,
    sent: [...this.#sent.graphs, ...(this.#sending ? [this.#sending] : [])],
    places: this.#places.pending(),
    shapes: this.#places.pendingShapes(),
  })

  readonly subscribe = (listener: () => void): (() => void) => {
    const own = () => listener()
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** Saves immediately; resolves with the version once the server has all edits made before the call. */
  readonly flush = async (): Promise<number> => {
    if (this.#isAbandoned) return this.#own.version
    const placing = this.#places.flush()
    if (this.#working) await this.#working
    await this.#work()
    if (this.#own.conflict) throw new UnsettledConflict()
    if (this.#own.status === 'failed') throw this.#own.error
    await placing
    // The positions of new nodes can be stored only now.
    await this.#places.flush()
    return this.#own.version
  }

  /** Continues from a version created elsewhere, such as by a roll back. Its graph is already in the store. */
  readonly settle = (version: number): void => {
    if (this.#own.conflict) return
    // The content of that version is unknown, so the next save has to find out.
    this.#sent.clear()
    this.#sent.add(this.#store.state().graph)
    this.#failures = 0
    this.#show({ version, error: undefined, status: 'changed' })
    this.#timer.start(0)
  }

  /** Merges the server's state, for example after another request was rejected for its version. */
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
   * Resolves a conflict as the user decided. First "mine" for every conflict is stored (beside theirs, which
   * is in the history), so that the server has a version that we know; the decision is then saved like any
   * other edit. Rejects while there are undecided conflicts.
   */
  readonly resolve = (choices: MergeChoices): Promise<void> => {
    this.#resolving ??= this.#resolve(choices).finally(() => {
      this.#resolving = undefined
    })
    return this.#resolving
  }

  /** The current graph was stored elsewhere: nothing is left to save. */
  readonly abandon = (): void => {
    this.#isAbandoned = true
    this.stop()
    this.#show({})
  }

  /** No new saves start; a save in progress completes. */
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
    // Changes made now are saved after the current save, pause or conflict.
    if (status === 'saving' || conflict || this.#timer.isPausing) return
    if (status === 'saved') this.#show({ status: 'changed' })
    this.#timer.start(saveDelay)
  }

  /** Saves, or waits for the save in progress. It never rejects: the result is in the state. */
  #work(task = () => this.#save()): Promise<void> {
    this.#working ??= this.#runAndNotify(task).finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  async #runAndNotify(task: () => Promise<boolean>): Promise<void> {
    if (this.#own.conflict) return
    this.#timer.clear()
    try {
      if (!(await task())) return
      this.#failures = 0
      const status = this.#isSaved() ? 'saved' : 'changed'
      this.#show({ status, error: undefined })
      // After a delay, because continuous typing would otherwise create a version for every letter.
      if (status === 'changed') this.#timer.start(saveDelay)
    } catch (error) {
      this.#failures++
      this.#show({ status: 'failed', error })
      // A permanent failure waits for the next edit, which may fix it.
      if (this.#isTransient(error)) this.#timer.start(pauseAfter(this.#failures), true)
    }
  }

  /** Whether the server now has the graph as of the last save; false if there is a conflict. */
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

  /** Returns the new version. */
  async #send(graph: Graph, from: number, isKept = false): Promise<number> {
    this.#sending = graph
    try {
      return (await this.#ports.save(graph, from, isKept)).version
    } catch (error) {
      if (!this.#ports.isConflict(error) && this.#isTransient(error)) this.#sent.add(graph)
      throw error
    } finally {
      this.#sending = undefined
    }
  }

  /** Merges the server's graph into the edited one; false if the user has to decide. */
  async #takeTheirs(refusal?: unknown): Promise<boolean> {
    const theirs = await this.#ports.readCurrent()
    if (theirs.version === this.#own.version) {
      // Rejected although the version is unchanged: retrying immediately would loop forever.
      if (refusal !== undefined) throw refusal
      return true
    }
    return this.#meet((await this.#sent.findStored(this.#own.version, theirs)) ?? this.#saved, theirs)
  }

  /** Merges another graph; the server's version of it may differ. */
  #meet(began: Graph, current: SavedWorkflow, stored = current.graph): boolean {
    const { base, theirs, renamed } = alignGraphs(began, this.#store.state().graph, current.graph)
    for (const [id, to] of renamed) this.#store.edit({ type: 'node.rename', id, to }, { silent: true })
    const { graph } = this.#store.state()
    const merged = mergeGraphs(base, graph, theirs)
    const { version: theirVersion, positions = {} } = current
    if (merged.conflicts.length > 0) {
      // Earlier attempts can no longer succeed.
      this.#sent.clear()
      const conflict = { base, theirs, theirVersion, positions }
      this.#show({ status: 'conflict', conflict, error: undefined })
      return false
    }
    this.#knowSaved(stored, theirVersion)
    if (merged.graph !== graph) this.#take(merged.graph, positions)
    if (current.shapes) this.#places.meetShapes(current.shapes)
    return true
  }

  /** Puts a merged graph into the editor. No undo step, which would revert changes of others. */
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
    // Stores the merged graph: mine alone would revert their changes for a moment, or for good.
    const kept = await this.#keepInHistory(mergeGraphs(base, mine, theirs).graph, conflict)
    if (kept) {
      const graph = resolveMerge(base, mine, theirs, choices)
      // Edits made during the save are merged into the decision.
      const { version } = kept
      this.#meet(mine, { graph, version, positions: conflict.positions }, kept.graph)
    }
    if (this.#working) await this.#working
    await this.#work()
  }

  /** The server's current graph; undefined if a newer version was merged without a conflict. */
  async #keepInHistory(graph: Graph, conflict: SaveConflict): Promise<SavedWorkflow | undefined> {
    const { base, theirVersion } = conflict
    try {
      return { graph, version: await this.#send(graph, theirVersion, true) }
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
    // While the result of an attempt is unknown, the server may have edits that were undone here since.
    if (this.#sent.graphs.length > 0) return false
    const { graph } = this.#store.state()
    return graph === this.#saved || sameJson(graph, this.#saved)
  }

  #isTransient(error: unknown): boolean {
    return this.#ports.isTransient?.(error) ?? true
  }

  #show(change: Partial<AutosaveState>): void {
    this.#own = { ...this.#own, ...change }
    const isPlacing = this.#own.status === 'saved' && !this.#isAbandoned
    const shown: AutosaveState = {
      ...this.#own,
      ...(this.#isAbandoned && { status: 'saved', error: undefined }),
      ...(isPlacing && this.#places.status()),
    }
    // Dragging a node notifies at every step, and most steps change nothing here.
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
