import { hash } from 'node:crypto'
import type { Agent } from '../agents/agent.ts'
import { limits } from '../contract/limits.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { csvRow } from '../kernel/csv.ts'
import { mintId } from '../kernel/ids.ts'
import { importedRecords } from '../kernel/imported-records.ts'
import { LeastRecentMap } from '../kernel/least-recent-map.ts'
import type { Annotation, AnnotationStore, NewAnnotation } from './annotation-store.ts'

export interface AnnotationParts {
  store: AnnotationStore
  clock: Clock
  hasAgent(workspaceId: string, id: string): Promise<boolean>
  /** The words of a text as a search sees them. */
  terms(text: string): string[]
}

type Written = Pick<Annotation, 'question' | 'answer'>

const noAgent = (id: string) => new AppError('not_found', `There is no agent ${id}`)
const noAnnotation = (id: string) => new AppError('not_found', `There is no annotation ${id}`)
const exportedPage = 100

/** What ends, joins and quotes sentences. Other signs may be the question: C++, C#, 50%, -5. */
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
  /** By question: the same ones are compared with each message. */
  readonly #terms = new LeastRecentMap<string, ReadonlySet<string>>(200_000, terms => terms.size + 1)

  constructor(parts: AnnotationParts) {
    this.#parts = parts
  }

  /** One of a question that has an answer replaces that answer. */
  async create(workspaceId: string, agentId: string, written: Written, by: string): Promise<Annotation> {
    return (await this.#save(workspaceId, agentId, [written], by)).saved[0]!
  }

  async update(workspaceId: string, id: string, change: Partial<Written>, by: string): Promise<Annotation> {
    const { store, clock } = this.#parts
    const before = await store.find(workspaceId, id)
    if (!before) throw noAnnotation(id)
    const { question = before.question, answer = before.answer } = change
    const more = { questionKey: keyOf(question), updatedAt: clock.now(), updatedBy: by }
    const changed = await store.update(workspaceId, id, { question, answer, ...more })
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

  /** All annotations of a text, or none. */
  async load(
    workspaceId: string,
    agentId: string,
    { format, content, by }: { format: 'csv' | 'jsonl'; content: string; by: string },
  ): Promise<{ added: number; updated: number }> {
    const records = importedRecords(format, content, limits.annotations)
    const written = records.map(({ line, fields }) => ({
      question: importedText(fields, 'question', line, limits.annotationQuestionLength),
      answer: importedText(fields, 'answer', line, limits.annotationAnswerLength),
    }))
    const { saved, added } = await this.#save(workspaceId, agentId, written, by)
    return { added, updated: saved.length - added }
  }

  /** Page by page, so that long answers are never all in memory. */
  async *export(workspaceId: string, agentId: string, format: 'csv' | 'jsonl'): AsyncGenerator<string> {
    if (!(await this.#parts.hasAgent(workspaceId, agentId))) throw noAgent(agentId)
    if (format === 'csv') yield csvRow(['question', 'answer', 'hits'])
    let cursor: string | undefined
    do {
      const page = await this.#parts.store.list(workspaceId, agentId, '', {
        ...{ page: 1, pageSize: exportedPage, cursor },
      })
      for (const { question, answer, hits } of page.items)
        yield format === 'csv'
          ? csvRow([question, answer, hits])
          : `${JSON.stringify({ question, answer, hits })}\n`
      cursor = page.nextCursor
    } while (cursor !== undefined)
  }

  /** The annotation that answers a question: of the same one, or of the most similar one if the agent allows that. */
  async match(workspaceId: string, agent: Agent, question: string): Promise<Annotation | undefined> {
    if (question.trim() === '' || question.length > limits.annotationQuestionLength) return undefined
    const { store } = this.#parts
    const same = await store.findByKey(workspaceId, agent.id, keyOf(question))
    const threshold = agent.config.annotation_threshold
    if (same || typeof threshold !== 'number' || threshold >= 1) return same
    const asked = new Set(this.#parts.terms(question))
    let best: { id: string; score: number } | undefined
    for (const { id, question: known } of await store.questions(workspaceId, agent.id)) {
      const score = similarity(asked, this.#termsOf(known))
      if (score >= threshold && score > (best?.score ?? 0)) best = { id, score }
    }
    return best && store.find(workspaceId, best.id)
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
      ({ question, answer }, at): NewAnnotation => ({
        ...{ id: mintId('note'), agentId, question, answer, questionKey: keyOf(question) },
        // A millisecond apart, because they are listed by their time.
        ...{ createdAt: now + at, updatedAt: now, updatedBy: by },
      }),
    )
    const stored = await store.save(workspaceId, agentId, rows, limits.annotations)
    if (!stored)
      throw new AppError(
        'invalid_request',
        `An agent can have ${limits.annotations} annotations; delete some first`,
      )
    return stored
  }
}

/** The share of common words: 1 for the same ones, 0 for none. */
function similarity(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size === 0 || right.size === 0) return 0
  let common = 0
  for (const term of left) if (right.has(term)) common++
  return common / Math.sqrt(left.size * right.size)
}

function importedText(fields: Record<string, unknown>, name: string, line: number, max: number): string {
  const value = fields[name]
  if (typeof value !== 'string' || value.trim() === '')
    throw invalidField('/content', `line ${line} has no \`${name}\``)
  if (value.length > max)
    throw invalidField('/content', `line ${line}: \`${name}\` has more than ${max} characters`)
  return value
}
