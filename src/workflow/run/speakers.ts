import type { SpokenMessage } from '../step.ts'
import { messageId } from './message-id.ts'
import type { Plan, PlannedNode } from './plan.ts'
import type { RunContext } from './run-context.ts'
import { Speech, type SpeechWorld } from './speech.ts'
import { Voice } from './voice.ts'

/** Those nodes of a graph that say something to the user, heard in the order of the graph. */
export class Speakers {
  readonly #plan: Plan
  readonly #context: RunContext
  readonly #world: Pick<SpeechWorld, 'system' | 'memory' | 'outputsOf' | 'isSettled' | 'written'>
  readonly #prefix: string
  /** Undefined: nobody of this graph is heard. */
  readonly #heardBy: ((say: () => void) => void) | undefined
  readonly #voice: Voice
  readonly #speeches = new Map<number, Speech>()
  /** Speeches that cannot go on before a node does. */
  readonly #waiting = new Map<number, Set<Speech>>()
  readonly #isForeseen: Uint8Array
  /** What each turn said in the end. */
  readonly #texts: string[]

  constructor(
    plan: Plan,
    context: RunContext,
    world: Pick<SpeechWorld, 'system' | 'memory' | 'outputsOf' | 'isSettled' | 'written'>,
    prefix: string,
    heardBy: ((say: () => void) => void) | undefined,
  ) {
    this.#plan = plan
    this.#context = context
    this.#world = world
    this.#prefix = prefix
    this.#heardBy = heardBy
    this.#voice = new Voice(plan.turns)
    this.#isForeseen = new Uint8Array(plan.nodes.length)
    this.#texts = new Array(plan.turns).fill('')
  }

  /** Everything that was said, in the order of the graph. */
  get answer(): string {
    return this.#texts.filter(text => text !== '').join('\n\n')
  }

  /**
   * A node has begun: whoever surely runs after it may begin to speak. Each edge is followed once in the life of a
   * run. Who may be skipped, or waits for a person, promises nothing.
   */
  foresee(place: number): void {
    if (!this.#heardBy || this.#plan.turns === 0) return
    const open = [place]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (this.#isForeseen[next]) continue
      this.#isForeseen[next] = 1
      const node = this.#plan.nodes[next]!
      if (node.speech) this.#begin(node, node.speech)
      if (node.rule.onError.do === 'skip' || node.kind.waits) continue
      for (const link of this.#plan.links.outgoing[next]!) if (link.case === undefined) open.push(link.to)
    }
  }

  wrote(place: number, piece: string): void {
    for (const speech of this.#waiting.get(place) ?? []) speech.hear(place, piece)
  }

  restarted(place: number): void {
    for (const speech of this.#waiting.get(place) ?? []) speech.forget(place)
  }

  /** The node has its outputs, or was skipped. */
  settled(place: number): void {
    const waiting = this.#waiting.get(place)
    if (!waiting) return
    this.#waiting.delete(place)
    for (const speech of waiting) this.#advance(speech)
  }

  /** A speaking node has run. */
  finish(node: PlannedNode, text: string): void {
    this.#texts[node.turn] = text
    if (!this.#heardBy) return
    const speech = this.#speeches.get(node.place)
    speech?.finish(text)
    this.#speeches.delete(node.place)
    if (text !== '') this.#message(node, 'text', { dataType: 'text', content: text, fileIds: [] })
  }

  /** It will say nothing more. */
  close(node: PlannedNode): void {
    if (node.turn >= 0) this.#voice.close(node.turn)
  }

  say(node: PlannedNode, ordinal: number, message: SpokenMessage): void {
    if (this.#heardBy) this.#message(node, ordinal, message)
  }

  /** In the turn of a node. */
  pass(node: PlannedNode, say: () => void): void {
    const { turn } = node
    if (!this.#heardBy) return
    if (turn < 0) this.#heardBy(say)
    else this.#voice.say(turn, () => this.#heardBy?.(say))
  }

  flush(): void {
    this.#voice.flush()
  }

  /** The run ends here: what a model wrote so far is kept, and also what the author wrote where `all` is set. */
  breakOff(all: boolean): void {
    this.#voice.flush()
    for (const [place, speech] of this.#speeches) {
      const node = this.#plan.nodes[place]!
      if (speech.said === '' || !(all || speech.isWorthKeeping)) continue
      this.#texts[node.turn] = speech.said
      this.#message(node, 'text', { dataType: 'text', content: speech.said, fileIds: [] })
    }
    this.#speeches.clear()
    this.#voice.flush()
  }

  #begin(node: PlannedNode, template: NonNullable<PlannedNode['speech']>): void {
    const path = this.#prefix + node.id
    const id = messageId(this.#context.runId, path, 'text')
    const tell = (fields: object): void =>
      this.pass(node, () =>
        this.#context.journal.event('node.delta', { node_id: path, ...fields, message_id: id }),
      )
    const speech = new Speech(template, {
      system: this.#world.system,
      memory: this.#world.memory,
      outputsOf: place => this.#world.outputsOf(place),
      isSettled: place => this.#world.isSettled(place),
      written: (place, output) => this.#world.written(place, output),
      say: text => tell({ text }),
      takeBack: () => tell({ text: '', reset: true }),
    })
    this.#speeches.set(node.place, speech)
    this.#advance(speech)
  }

  #advance(speech: Speech): void {
    speech.advance()
    const place = speech.waitsFor
    if (place === undefined) return
    const waiting = this.#waiting.get(place) ?? new Set()
    this.#waiting.set(place, waiting.add(speech))
  }

  #message(node: PlannedNode, name: string | number, message: SpokenMessage): void {
    const { runId, clock, journal } = this.#context
    const path = this.#prefix + node.id
    const id = messageId(runId, path, name)
    this.pass(node, () => journal.say({ id, at: clock.now(), ...message }, path))
  }
}
