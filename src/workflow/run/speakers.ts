import type { OutputMessage } from '../step.ts'
import { messageId } from './message-id.ts'
import type { Plan, PlannedNode } from './plan.ts'
import type { RunContext, UnsaidMessage } from './run-context.ts'
import { Speech, type SpeechWorld } from './speech.ts'
import { stepPath } from './step-path.ts'
import { Voice } from './voice.ts'

/**
 * What is kept of what was said half way when a run ends before its time: all of it, or only where a model wrote some
 * of it, or nothing, since it is said anew.
 */
export type Keep = 'all' | 'live' | 'nothing'

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
  /** Edges into each node over which a question may still come first. */
  readonly #held: Int32Array | undefined
  readonly #isHolding: Uint8Array | undefined
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
    if (plan.held && heardBy) {
      this.#held = Int32Array.from(plan.held)
      this.#isHolding = Uint8Array.from(plan.nodes, ({ kind, place }) =>
        kind.waits || plan.held![place]! > 0 ? 1 : 0,
      )
    }
    this.#texts = new Array(plan.turns).fill('')
  }

  /** Everything that was said, in the order of the graph. */
  get answer(): string {
    return joined(this.#texts)
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
      if (!this.#held || this.#held[next] === 0) this.#begin(node)
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
    if (this.#isHolding?.[place]) this.#unhold(place)
    const waiting = this.#waiting.get(place)
    if (!waiting) return
    this.#waiting.delete(place)
    for (const speech of waiting) this.#advance(speech)
  }

  /** A step of an earlier life has ended: what was said inside it counts. */
  recall(node: PlannedNode): void {
    const { texts } = this.#context.restored
    if (!node.kind.sendsMessages || !texts || texts.size === 0) return
    const inside = `${this.#prefix}${node.id}/`
    this.heard(
      node,
      [...texts].flatMap(([path, text]) => (path.startsWith(inside) ? [text] : [])),
    )
  }

  /** What a step, and those inside it, said without being heard so far. */
  unsaidBy(node: PlannedNode): { unsaid?: readonly UnsaidMessage[] } {
    const { unsaid } = this.#context
    if (!unsaid || unsaid.size === 0 || node.turn < 0) return {}
    const path = stepPath(this.#prefix, node.id)
    const own = [...unsaid.values()].filter(each => each.path === path || each.path.startsWith(`${path}/`))
    return own.length === 0 ? {} : { unsaid: own }
  }

  /** Says what a step of an earlier life said and nobody heard. */
  sayAgain(node: PlannedNode, unsaid: readonly UnsaidMessage[]): void {
    if (this.#heardBy) for (const each of unsaid) this.#tell(node, each)
  }

  /** What was said inside a step. */
  heard(node: PlannedNode, texts: readonly string[]): void {
    if (node.turn >= 0) this.#texts[node.turn] = joined(texts)
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

  say(node: PlannedNode, name: string | number, message: OutputMessage): void {
    if (this.#heardBy) this.#message(node, name, message)
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

  /** The run, or this part of it, ends here. */
  breakOff(keep: Keep): void {
    this.#voice.flush()
    for (const [place, speech] of this.#speeches) {
      const node = this.#plan.nodes[place]!
      const { said } = speech
      if (said === '') continue
      if (keep === 'nothing' || (keep === 'live' && !speech.isWorthKeeping)) {
        speech.takeBack()
        continue
      }
      this.#texts[node.turn] = said
      this.#message(node, 'text', { dataType: 'text', content: said, fileIds: [] })
    }
    this.#speeches.clear()
    this.#voice.flush()
  }

  /** Nothing asks a person any more before what follows it over these edges. */
  #unhold(place: number): void {
    const open = [place]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (!this.#isHolding![next]) continue
      this.#isHolding![next] = 0
      for (const { to } of this.#plan.links.outgoing[next]!) {
        this.#held![to]! -= 1
        if (this.#held![to]! > 0) continue
        const node = this.#plan.nodes[to]!
        if (this.#isForeseen[to]) this.#begin(node)
        if (!node.kind.waits) open.push(to)
      }
    }
  }

  #begin(node: PlannedNode): void {
    const { speech: template } = node
    if (!template) return
    const { journal, runId, restored } = this.#context
    const path = stepPath(this.#prefix, node.id)
    const id = messageId(runId, path, 'text')
    if (journal.wasSaid(id)) return
    const tell = (fields: { text: string; reset?: true }): void =>
      this.pass(node, () => journal.event('node.delta', { node_id: path, ...fields, message_id: id }))
    // Whoever had the run before may have told pieces of it.
    if (restored.isTakenOver) tell({ text: '', reset: true })
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

  #message(node: PlannedNode, name: string | number, message: OutputMessage): void {
    const { runId, clock } = this.#context
    const path = stepPath(this.#prefix, node.id)
    const id = messageId(runId, path, name)
    this.#tell(node, { path, message: { id, at: clock.now(), ...message } })
  }

  #tell(node: PlannedNode, told: UnsaidMessage): void {
    const { journal, unsaid } = this.#context
    const { path, message } = told
    if (journal.wasSaid(message.id)) return
    unsaid?.set(message.id, told)
    this.pass(node, () => {
      unsaid?.delete(message.id)
      journal.say(message, path)
    })
  }
}

const joined = (texts: readonly string[]): string => texts.filter(text => text !== '').join('\n\n')
