import { hash } from 'node:crypto'
import type { Agent } from '../agents/agent.ts'
import { noAgent } from '../agents/agent-service.ts'
import { limits } from '../contract/limits.ts'
import { everyItem, type Page, type PageRequest } from '../contract/paging.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { csvRow } from '../kernel/csv.ts'
import { mintId } from '../kernel/ids.ts'
import { LruMap } from '../kernel/lru-map.ts'
import { inSlices, type Pausable } from '../kernel/slices.ts'
import {
  type Annotation,
  type AnnotationStore,
  type NewAnnotation,
  tooManyAnnotations,
} from './annotation-store.ts'
import { importedAnnotations, type SkippedLine } from './imported-annotations.ts'

interface AnnotationParts {
  store: AnnotationStore
  clock: Clock
  hasAgent(workspaceId: string, id: string): Promise<boolean>
  /** The terms of a text, as for a search. */
  terms(text: string): string[]
}

type Written = Pick<Annotation, 'question' | 'answer'>

interface ImportedText {
  format: 'csv' | 'jsonl'
  content: string
}

interface Imported {
  added: number
  updated: number
  skipped: SkippedLine[]
}

const noAnnotation = (id: string) => new AppError('not_found', `There is no annotation ${id}`)

/** Punctuation of sentences. Other signs may matter in a question: C++, C#, 50%, -5. */
const sentenceMarks = /[!?;"'`()[\]{}…。、“”‘’「」『』《》【】¿¡~]+|(?<!\d)[.,:\s]+|[.,:\s]+(?!\d)|\p{Cf}+/gu

/** A question without what does not change its meaning: case, width of characters, space, punctuation. */
const normalised = (question: string): string =>
  question.normalize('NFKC').toLowerCase().replace(sentenceMarks, '')

/** Questions that are nothing but signs, such as "?", are compared as they are. */
const keyOf = (question: string): string =>
  hash('sha256', normalised(question) || question.trim(), 'base64url').slice(0, 22)

/** Answers that editors gave to questions. An agent gives them again, without a model. */
export class Annotations {
  readonly #parts: AnnotationParts
  /** The terms by question, because every message is compared with the same questions. */
  readonly #terms = new LruMap<string, ReadonlySet<string>>(200_000, terms => terms.size + 1)

  constructor(parts: AnnotationParts) {
    this.#parts = parts
  }

  /** For a known question the answer is replaced. */
  async create(workspaceId: string, agentId: string, written: Written, by: string): Promise<Annotation> {
    return (await this.#save(workspaceId, agentId, [written], by)).saved[0]!
  }

  async update(workspaceId: string, id: string, change: Partial<Written>, by: string): Promise<Annotation> {
    const { store, clock } = this.#parts
    const changed = await store.update(workspaceId, id, before => {
      const { question = before.question, answer = before.answer } = change
      return { question, answer, questionKey: keyOf(question), updatedAt: clock.now(), updatedBy: by }
    })
    if (changed === false)
      throw new AppError(
        'already_exists',
        'Another annotation of the agent has this question; change that one',
      )
    if (!changed) throw noAnnotation(id)
    return changed
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    if (!(await this.#parts.store.remove(workspaceId, id))) throw noAnnotation(id)
  }

  async list(
    workspaceId: string,
    agentId: string,
    keyword: string,
    page: PageRequest,
  ): Promise<Page<Annotation>> {
    if (!(await this.#parts.hasAgent(workspaceId, agentId))) throw noAgent(agentId)
    return this.#parts.store.list(workspaceId, agentId, keyword, page)
  }

  /** What an import would do; nothing is stored. */
  async preview(workspaceId: string, agentId: string, { format, content }: ImportedText): Promise<Imported> {
    const { store, hasAgent } = this.#parts
    if (!(await hasAgent(workspaceId, agentId))) throw noAgent(agentId)
    const { written, skipped } = importedAnnotations(format, content)
    const known = await store.questions(workspaceId, agentId)
    const keys = new Set(known.map(({ question }) => keyOf(question)))
    const { size } = keys
    for (const { question } of written) keys.add(keyOf(question))
    const added = keys.size - size
    if (known.length + added > limits.annotations) throw tooManyAnnotations(limits.annotations)
    return { added, updated: written.length - added, skipped }
  }

  /** Imports all annotations of a text, or none if a line is invalid; `skipsInvalid` skips such lines. */
  async load(
    workspaceId: string,
    agentId: string,
    { format, content, skipsInvalid, by }: ImportedText & { skipsInvalid: boolean; by: string },
  ): Promise<Imported> {
    const { written, skipped } = importedAnnotations(format, content)
    const [first] = skipped
    if (first && !skipsInvalid) throw invalidField('/content', `line ${first.line}: ${first.message}`)
    const { saved, added } = await this.#save(workspaceId, agentId, written, by)
    return { added, updated: saved.length - added, skipped }
  }

  /** Page by page, so that long answers are never all in memory. */
  async *export(workspaceId: string, agentId: string, format: 'csv' | 'jsonl'): AsyncGenerator<string> {
    if (!(await this.#parts.hasAgent(workspaceId, agentId))) throw noAgent(agentId)
    if (format === 'csv') yield csvRow(['question', 'answer', 'hits'])
    const annotations = everyItem(page => this.#parts.store.list(workspaceId, agentId, '', page))
    for await (const { question, answer, hits } of annotations)
      yield format === 'csv'
        ? csvRow([question, answer, hits])
        : `${JSON.stringify({ question, answer, hits })}\n`
  }

  /** The annotation that answers a question: of the same one, or of the most similar one if the agent allows that. */
  async match(workspaceId: string, agent: Agent, question: string): Promise<Annotation | undefined> {
    if (question.trim() === '' || question.length > limits.annotationQuestionLength) return undefined
    const { store } = this.#parts
    const same = await store.findByKey(workspaceId, agent.id, keyOf(question))
    const threshold = agent.config.annotation_threshold
    if (same || typeof threshold !== 'number' || threshold >= 1) return same
    const known = await store.questions(workspaceId, agent.id)
    const similar = await inSlices(this.#mostSimilar(question, known, threshold))
    return similar && store.find(workspaceId, similar.id)
  }

  /** In slices, because the terms of a thousand long questions take seconds, and do not all fit into the cache. */
  *#mostSimilar(
    question: string,
    known: readonly Pick<Annotation, 'id' | 'question'>[],
    threshold: number,
  ): Pausable<{ id: string } | undefined> {
    const asked = new Set(this.#parts.terms(question))
    let best: { id: string; score: number } | undefined
    for (const { id, question: other } of known) {
      const score = similarity(asked, this.#termsOf(other))
      if (score >= threshold && score > (best?.score ?? 0)) best = { id, score }
      yield
    }
    return best
  }

  async countHit(workspaceId: string, id: string): Promise<void> {
    await this.#parts.store.countHit(workspaceId, id, this.#parts.clock.now())
  }

  #termsOf(question: string): ReadonlySet<string> {
    const known = this.#terms.get(question)
    if (known) return known
    const terms = new Set(this.#parts.terms(question))
    this.#terms.set(question, terms)
    return terms
  }

  async #save(workspaceId: string, agentId: string, written: readonly Written[], by: string) {
    const { store, clock, hasAgent } = this.#parts
    if (!(await hasAgent(workspaceId, agentId))) throw noAgent(agentId)
    const now = clock.now()
    const rows = written.map(
      ({ question, answer }): NewAnnotation => ({
        ...{ id: mintId('note'), agentId, question, answer, questionKey: keyOf(question) },
        ...{ createdAt: now, updatedAt: now, updatedBy: by },
      }),
    )
    return store.save(workspaceId, agentId, rows, limits.annotations)
  }
}

/** The share of common words: 1 for the same ones, 0 for none. */
function similarity(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size === 0 || right.size === 0) return 0
  let common = 0
  for (const term of left) if (right.has(term)) common++
  return common / Math.sqrt(left.size * right.size)
}
