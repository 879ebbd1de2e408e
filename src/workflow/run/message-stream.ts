import { isJsonRecord } from '../json-record.ts'
import type { MessageType, OutputMessage, Outputs } from '../step.ts'
import type { Plan, PlannedNode } from './plan.ts'
import type { RunContext, UnsentMessage } from './run-context.ts'
import { readState, stepPath } from './step-record.ts'
import { type MessageSource, messageId, StreamedMessage } from './streamed-message.ts'
import { textOfValue } from './template.ts'

/** Runs `emit` when the messages of a graph may be sent. */
export type Deliver = (emit: () => void) => void

/** The incomplete messages that stay at an early end: all, those of a model, or none, because they are streamed again. */
export type KeepMessages = 'all' | 'live' | 'none'

/** Nodes run in parallel, but the messages of a turn are held back until all turns before it are closed. */
export class TurnQueue {
  readonly #held: (() => void)[][]
  readonly #isClosed: Uint8Array
  #next = 0

  constructor(turns: number) {
    this.#held = Array.from({ length: turns }, () => [])
    this.#isClosed = new Uint8Array(turns)
  }

  add(turn: number, emit: () => void): void {
    if (turn <= this.#next) emit()
    else this.#held[turn]!.push(emit)
  }

  /** Ends a turn: no more messages come in it. */
  close(turn: number): void {
    this.#isClosed[turn] = 1
    while (this.#isClosed[this.#next]) {
      this.#next += 1
      this.#release(this.#next)
    }
  }

  /** Discards what is held back in a turn that has not come; false when it has. */
  drop(turn: number): boolean {
    if (turn <= this.#next) return false
    this.#held[turn]!.length = 0
    return true
  }

  /** Emits everything that is held back, because no message comes in the open turns for now. */
  flush(): void {
    for (let turn = this.#next; turn < this.#held.length; turn += 1) this.#release(turn)
  }

  #release(turn: number): void {
    for (const emit of this.#held[turn]?.splice(0) ?? []) emit()
  }
}

/** Sends the messages of one graph's nodes to the user, streamed and in the order of the graph. */
export class MessageStream {
  readonly #plan: Plan
  readonly #context: RunContext
  readonly #source: MessageSource
  readonly #prefix: string
  /** Undefined: the user gets no messages of this graph. */
  readonly #deliver: Deliver | undefined
  readonly #turns: TurnQueue
  readonly #open = new Map<number, StreamedMessage>()
  /** Messages that wait for a node, by its place. */
  readonly #waiting = new Map<number, Set<StreamedMessage>>()
  readonly #isExpected: Uint8Array
  /** The nodes that may still ask the user, as a set of bits. */
  #unasked = -1n
  /** Nodes that will certainly run, but perhaps after a question to the user. */
  readonly #held = new Set<PlannedNode>()
  /** The complete text of each turn. */
  readonly #texts: string[]

  constructor(
    plan: Plan,
    context: RunContext,
    source: MessageSource,
    options: { prefix: string; deliver: Deliver | undefined },
  ) {
    this.#plan = plan
    this.#context = context
    this.#source = source
    this.#prefix = options.prefix
    this.#deliver = options.deliver
    this.#turns = new TurnQueue(plan.turns)
    this.#isExpected = new Uint8Array(plan.nodes.length)
    this.#texts = new Array(plan.turns).fill('')
  }

  /** All messages so far, in the order of the graph. */
  get answer(): string {
    return joined(this.#texts)
  }

  get isDelivered(): boolean {
    return this.#deliver !== undefined
  }

  /** Streams the messages of nodes that will certainly run after one that has started. */
  expect(place: number): void {
    if (!this.#deliver || this.#plan.turns === 0) return
    const open = [place]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (this.#isExpected[next]) continue
      this.#isExpected[next] = 1
      const node = this.#plan.nodes[next]!
      if (this.#isHeld(node)) this.#held.add(node)
      else this.#start(node)
      if (node.rule.onError.do === 'skip' || node.kind.waits) continue
      for (const link of this.#plan.links.outgoing[next]!)
        if (link.case === undefined && !link.unlessFailed) open.push(link.to)
    }
  }

  append(place: number, piece: string): void {
    for (const message of this.#waiting.get(place) ?? []) message.append(place, piece)
  }

  discard(place: number): void {
    for (const message of this.#waiting.get(place) ?? []) message.discard(place)
  }

  /** The node has its outputs, or was skipped, and sends nothing more. */
  settled(node: PlannedNode, outputs: Outputs | undefined): void {
    const { place, kind, turn } = node
    if (kind.messageField !== undefined && outputs)
      this.#finish(node, textOfValue(outputs['text']), fileMessages(outputs['files']))
    else this.#withdraw(node)
    if (kind.waits) this.#release(place)
    const waiting = this.#waiting.get(place) ?? []
    this.#waiting.delete(place)
    for (const message of waiting) this.#advance(message)
    if (turn >= 0) this.#turns.close(turn)
  }

  /** Restores the messages of a step that ended in a previous attempt of the run. */
  restore(node: PlannedNode, unsent: readonly UnsentMessage[] | undefined): void {
    this.expect(node.place)
    this.resend(node, unsent)
  }

  /** The messages of a step, and of steps inside it, that are held back so far. */
  unsentBy(node: PlannedNode): readonly UnsentMessage[] | undefined {
    const { unsent } = this.#context
    if (unsent.size === 0 || node.turn < 0) return undefined
    const path = this.#pathOf(node)
    const own = [...unsent.values()].filter(each => each.path === path || each.path.startsWith(`${path}/`))
    return own.length === 0 ? undefined : own
  }

  /** Sends what a step held back in a previous attempt of the run, and restores the texts sent inside it. */
  resend(node: PlannedNode, unsent: readonly UnsentMessage[] | undefined): void {
    const { texts } = this.#context.previous
    const inside = `${this.#pathOf(node)}/`
    if (node.kind.sendsMessages && texts.size > 0)
      this.setNested(
        node,
        [...texts].flatMap(([path, text]) => (path.startsWith(inside) ? [text] : [])),
      )
    if (this.#deliver) for (const each of unsent ?? []) this.#send(node, each)
  }

  /** Sets the text of a step's turn to the messages of the workflows inside it. */
  setNested(node: PlannedNode, texts: readonly string[]): void {
    if (node.turn >= 0) this.#texts[node.turn] = joined(texts)
  }

  send(node: PlannedNode, name: string | number, message: OutputMessage): void {
    if (!this.#deliver) return
    const { runId, clock } = this.#context
    const path = this.#pathOf(node)
    this.#send(node, { path, message: { id: messageId(runId, path, name), at: clock.now(), ...message } })
  }

  emit(node: PlannedNode, emit: () => void): void {
    const deliver = this.#deliver
    if (!deliver) return
    if (node.turn < 0) deliver(emit)
    else this.#turns.add(node.turn, () => deliver(emit))
  }

  flush(): void {
    this.#turns.flush()
  }

  /** The run waits for an answer; messages after the question are streamed again then. */
  withdraw(): void {
    for (const place of this.#open.keys()) this.#withdraw(this.#plan.nodes[place]!)
  }

  /** Ends the messages, because the run, or this part of it, ends early. */
  abort(keep: KeepMessages): void {
    // Literal text whose turn has not come is dropped, because no client has received it.
    for (const [place, message] of this.#open)
      if (!message.hasModelText && this.#turns.drop(this.#plan.nodes[place]!.turn)) this.#open.delete(place)
    this.#turns.flush()
    for (const [place, message] of this.#open) {
      const node = this.#plan.nodes[place]!
      const { sent } = message
      if (sent === '') continue
      if (keep === 'none' || (keep === 'live' && !message.hasModelText)) {
        message.reset()
        continue
      }
      this.#texts[node.turn] = sent
      this.send(node, 'text', { dataType: 'text', content: sent, fileIds: [] })
    }
    this.#open.clear()
    this.#turns.flush()
  }

  #withdraw({ place, turn }: PlannedNode): void {
    const message = this.#open.get(place)
    if (!message) return
    this.#open.delete(place)
    if (!this.#turns.drop(turn)) message.reset()
  }

  #pathOf(node: PlannedNode): string {
    return stepPath(this.#prefix, node.id)
  }

  /** A node with a streamed message has run. */
  #finish(node: PlannedNode, text: string, files: readonly OutputMessage[]): void {
    this.#texts[node.turn] = text
    if (!this.#deliver) return
    this.#open.get(node.place)?.finish(text)
    this.#open.delete(node.place)
    if (text !== '') this.send(node, 'text', { dataType: 'text', content: text, fileIds: [] })
    for (const message of files) this.send(node, message.dataType, message)
  }

  #isHeld({ place }: PlannedNode): boolean {
    return (this.#plan.askedBefore[place]! & this.#unasked) !== 0n
  }

  /** A node that may ask the user has ended: the messages that waited for this alone may start to stream. */
  #release(place: number): void {
    this.#unasked &= ~(1n << BigInt(place))
    for (const node of this.#held) {
      if (this.#isHeld(node)) continue
      this.#held.delete(node)
      this.#start(node)
    }
  }

  #start(node: PlannedNode): void {
    const { message: template } = node
    if (!template) return
    const { journal, runId, previous } = this.#context
    const path = this.#pathOf(node)
    const id = messageId(runId, path, 'text')
    if (journal.wasSent(id)) return
    const emit = (fields: { text: string; reset?: true }): void =>
      this.emit(node, () => journal.event('node.delta', { node_id: path, ...fields, message_id: id }))
    const reset = (): void => emit({ text: '', reset: true })
    // The previous lease holder may have sent pieces of it.
    if (previous.isTakenOver) reset()
    // The step failed in the previous attempt, and its text was withdrawn.
    if (readState(previous.steps.get(path)?.state).handled) return
    const message = new StreamedMessage(template, this.#source, { send: text => emit({ text }), reset })
    this.#open.set(node.place, message)
    this.#advance(message)
  }

  #advance(message: StreamedMessage): void {
    message.advance()
    const place = message.waitsFor
    if (place === undefined) return
    const waiting = this.#waiting.get(place) ?? new Set()
    this.#waiting.set(place, waiting.add(message))
  }

  #send(node: PlannedNode, unsent: UnsentMessage): void {
    const { journal, unsent: held } = this.#context
    const { path, message } = unsent
    if (journal.wasSent(message.id)) return
    held.set(message.id, unsent)
    this.emit(node, () => {
      held.delete(message.id)
      journal.sendMessage(message, path)
    })
  }
}

const joined = (texts: readonly string[]): string => texts.filter(text => text !== '').join('\n\n')

const typeOf = (mimeType: unknown): MessageType => {
  const [kind] = String(mimeType).split('/')
  if (kind === 'image' || kind === 'video') return kind
  return kind === 'audio' ? 'voice' : 'file'
}

/** The messages that send files, one for each type, in the order of the first file of each. */
function fileMessages(files: unknown): OutputMessage[] {
  const byType = new Map<MessageType, string[]>()
  for (const file of Array.isArray(files) ? files : []) {
    // The outputs of a failed node may be replaced by anything.
    if (!isJsonRecord(file) || typeof file['file_id'] !== 'string') continue
    const type = typeOf(file['mime_type'])
    byType.set(type, [...(byType.get(type) ?? []), file['file_id']])
  }
  return [...byType].map(([dataType, fileIds]) => ({ dataType, content: '', fileIds }))
}
