import {
  type AutosavePorts,
  type AutosaveState,
  pauseAfter,
  type SavedWorkflow,
  saveDelay,
  UnsettledConflict,
} from './autosave-ports.ts'
import type { Edit } from './edit.ts'
import type { EditorStore } from './editor-store.ts'
import type { Graph } from './graph.ts'
import { mergeGraphs } from './merge-graphs.ts'
import { PlaceSaver } from './place-saver.ts'
import { sameJson } from './same-json.ts'

/** How many tries are remembered whose end nobody knows. */
const mostSent = 20

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
  #state: AutosaveState
  /** What the server has as `version`. */
  #saved: Graph
  /** What was sent by tries whose end nobody knows: the server may have one of them. */
  #sent: Graph[] = []
  #seen: Graph
  #failures = 0
  #timer: unknown
  #isPausing = false
  #working: Promise<void> | undefined
  #isStopped = false

  constructor(store: EditorStore, loaded: SavedWorkflow, ports: AutosavePorts) {
    this.#store = store
    this.#ports = ports
    this.#saved = loaded.graph
    this.#seen = loaded.graph
    this.#state = { status: 'saved', version: loaded.version, error: undefined, conflict: undefined }
    this.#places = new PlaceSaver(store, loaded.positions ?? store.state().positions, ports)
    this.#unsubscribe = store.subscribe(() => this.#noticeChange())
    this.#noticeChange()
  }

  readonly state = (): AutosaveState => this.#state

  /** What the server has, as far as is known. */
  readonly saved = (): SavedWorkflow => ({ graph: this.#saved, version: this.#state.version })

  readonly subscribe = (listener: () => void): (() => void) => {
    const own = () => listener()
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** Saves at once; resolves when the server has all that was edited before the call. */
  readonly flush = async (): Promise<void> => {
    const placing = this.#places.flush()
    if (this.#working) await this.#working
    await this.#work()
    if (this.#state.conflict) throw new UnsettledConflict()
    if (this.#state.status === 'failed') throw this.#state.error
    await placing
  }

  /**
   * Goes on from a version that was made elsewhere: by merging after a conflict, or by rolling back. What came of it is
   * in the store already.
   */
  readonly settle = (version: number): void => {
    const { conflict } = this.#state
    if (conflict) this.#saved = conflict.theirs
    // Without a conflict nobody told what that version holds, so that the next save has to find out.
    this.#sent = conflict ? [] : [this.#store.state().graph]
    this.#failures = 0
    this.#show({ version, conflict: undefined, error: undefined, status: 'changed' })
    this.#startTimer(0)
  }

  /** Nothing begins any more; what is on its way to the server gets there. */
  readonly stop = (): void => {
    this.#isStopped = true
    this.#unsubscribe()
    this.#places.stop()
    this.#clearTimer()
  }

  #noticeChange(): void {
    const { graph } = this.#store.state()
    if (graph === this.#seen) return
    this.#seen = graph
    const { status, conflict } = this.#state
    // What changes now is saved when the save, the pause or the conflict that is under way is over.
    if (status === 'saving' || conflict || this.#isPausing) return
    if (status === 'saved') this.#show({ status: 'changed' })
    this.#startTimer(saveDelay)
  }

  /** Saves, or waits for the save that is under way. It never rejects: how it went is in the state. */
  #work(): Promise<void> {
    this.#working ??= this.#saveAndTell().finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  async #saveAndTell(): Promise<void> {
    if (this.#state.conflict) return
    this.#clearTimer()
    try {
      if (!(await this.#save())) return
      this.#failures = 0
      const status = this.#isSaved() ? 'saved' : 'changed'
      this.#show({ status, error: undefined })
      // Not at once: whoever types without a pause would leave a version for every letter.
      if (status === 'changed') this.#startTimer(saveDelay)
    } catch (error) {
      this.#failures++
      this.#show({ status: 'failed', error })
      // What cannot pass waits for the next edit, which may mend it.
      if (this.#mayPass(error)) this.#startTimer(pauseAfter(this.#failures), true)
    }
  }

  /** Whether the server has the graph now as it was when the last save began; not if there is something to settle. */
  async #save(): Promise<boolean> {
    while (!this.#isSaved()) {
      const { graph } = this.#store.state()
      this.#show({ status: 'saving' })
      try {
        const { version } = await this.#ports.save(graph, this.#state.version)
        this.#knowSaved(graph, version)
        return true
      } catch (error) {
        if (!this.#ports.isConflict(error)) {
          if (this.#mayPass(error)) this.#sent = [...this.#sent, graph].slice(-mostSent)
          throw error
        }
        if (!(await this.#takeTheirs(error))) return false
      }
    }
    return true
  }

  /** Merges what the server has into what is edited here; false when a person has to decide. */
  async #takeTheirs(refusal: unknown): Promise<boolean> {
    const theirs = await this.#ports.readCurrent()
    // Refused, and yet nobody saved anything: asking again at once would go on for ever.
    if (theirs.version === this.#state.version) throw refusal
    const base = (await this.#findOwnSave(theirs)) ?? this.#saved
    const { graph } = this.#store.state()
    const merged = mergeGraphs(base, graph, theirs.graph)
    if (merged.conflicts.length > 0) {
      const conflict = { base, theirs: theirs.graph, theirVersion: theirs.version }
      this.#show({ status: 'conflict', conflict, error: undefined })
      return false
    }
    this.#knowSaved(theirs.graph, theirs.version)
    if (merged.graph === graph) return true
    const edits: Edit[] = [
      { type: 'graph.replace', graph: merged.graph },
      { type: 'nodes.move', positions: this.#places.adopt(merged.graph, theirs.positions ?? {}) },
    ]
    this.#store.edit({ type: 'many', edits }, { silent: true })
    return true
  }

  /** A try of our own that got there after all, only its answer was lost: that is no work of anybody else. */
  async #findOwnSave(theirs: SavedWorkflow): Promise<Graph | undefined> {
    if (this.#sent.length === 0) return undefined
    // Only the version right after ours can be it: every later one began with something that we never had.
    const next = this.#state.version + 1
    const stored = theirs.version === next ? theirs.graph : await this.#readVersion(next)
    return this.#sent.find(sent => sameJson(sent, stored))
  }

  async #readVersion(version: number): Promise<Graph | undefined> {
    try {
      return await this.#ports.readVersion?.(version)
    } catch (error) {
      // A version that is gone for good tells nothing; one that cannot be read just now is worth another try.
      if (this.#ports.mayPass?.(error)) throw error
      return undefined
    }
  }

  #knowSaved(graph: Graph, version: number): void {
    this.#saved = graph
    this.#sent = []
    this.#show({ version })
  }

  #isSaved(): boolean {
    // While nobody knows what became of a try, the server may have what was taken back here since.
    if (this.#sent.length > 0) return false
    const { graph } = this.#store.state()
    return graph === this.#saved || sameJson(graph, this.#saved)
  }

  #mayPass(error: unknown): boolean {
    return this.#ports.mayPass?.(error) ?? true
  }

  #show(change: Partial<AutosaveState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of [...this.#listeners]) listener()
  }

  #startTimer(milliseconds: number, isPause = false): void {
    this.#clearTimer()
    if (this.#isStopped) return
    this.#isPausing = isPause
    this.#timer = this.#ports.setTimer(() => void this.#work(), milliseconds)
  }

  #clearTimer(): void {
    if (this.#timer !== undefined) this.#ports.clearTimer(this.#timer)
    this.#timer = undefined
    this.#isPausing = false
  }
}
