import { limits } from '../../contract/limits.ts'
import type { Page, PageRequest } from '../../contract/paging.ts'
import { AppError, invalidField } from '../../kernel/app-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { csvRow } from '../../kernel/csv.ts'
import { mintId } from '../../kernel/ids.ts'
import type { KnowledgeService } from '../knowledge-service.ts'
import type { KnowledgeStore } from '../knowledge-store.ts'
import type { GoldenStore, ListedGoldenRun } from './golden-store.ts'
import type { GoldenQuestion, GoldenRun } from './golden-tables.ts'
import { importedQuestions, type Problem } from './import-questions.ts'

interface QuestionPatch {
  question?: string
  fileIds?: string[]
  expectedText?: string
}

/** A question with the names of its documents; undefined for one that is not in the base any more. */
export type ShownQuestion = GoldenQuestion & {
  documents: { fileId: string; name: string | undefined }[]
}

interface GoldenParts {
  store: GoldenStore
  bases: KnowledgeService
  baseStore: KnowledgeStore
  clock: Clock
  /** A run was queued, or a decision was made. */
  wake(): void
}

export class GoldenService {
  readonly #parts: GoldenParts

  constructor(parts: GoldenParts) {
    this.#parts = parts
  }

  /** Fails if the base does not exist. */
  async #storeOf(workspaceId: string, knowledgeId: string): Promise<GoldenStore> {
    await this.#parts.bases.find(workspaceId, knowledgeId)
    return this.#parts.store
  }

  async list(workspaceId: string, knowledgeId: string, page: PageRequest): Promise<Page<ShownQuestion>> {
    const store = await this.#storeOf(workspaceId, knowledgeId)
    const found = await store.listQuestions(workspaceId, knowledgeId, page)
    return { ...found, items: await this.#shown(workspaceId, knowledgeId, found.items) }
  }

  async #shown(workspaceId: string, knowledgeId: string, questions: GoldenQuestion[]) {
    const ids = questions.flatMap(({ fileIds }) => fileIds)
    const names = await this.#parts.store.documentNames(workspaceId, knowledgeId, ids)
    return questions.map(question => ({
      ...question,
      documents: question.fileIds.map(fileId => ({ fileId, name: names.get(fileId) })),
    }))
  }

  async create(
    workspaceId: string,
    knowledgeId: string,
    { question, fileIds, expectedText = '' }: QuestionPatch & { question: string; fileIds: string[] },
  ): Promise<ShownQuestion> {
    const { clock } = this.#parts
    const store = await this.#storeOf(workspaceId, knowledgeId)
    await this.#requireDocuments(workspaceId, knowledgeId, fileIds)
    const row = {
      ...{ id: mintId('gold'), knowledgeId, question: question.trim() },
      ...{ fileIds: [...new Set(fileIds)], expectedText: expectedText.trim(), createdAt: clock.now() },
    }
    const added = await store.addQuestions(workspaceId, knowledgeId, [row], limits.goldenQuestions)
    if (added === 'too_many') throw tooMany()
    if (added.length === 0) throw alreadyAsked()
    return (await this.#shown(workspaceId, knowledgeId, added))[0]!
  }

  async update(
    workspaceId: string,
    knowledgeId: string,
    id: string,
    { question, fileIds, expectedText }: QuestionPatch,
  ): Promise<ShownQuestion> {
    const store = await this.#storeOf(workspaceId, knowledgeId)
    const before = await store.findQuestion(workspaceId, knowledgeId, id)
    if (!before) throw noSuchQuestion()
    if (fileIds) await this.#requireDocuments(workspaceId, knowledgeId, fileIds)
    const change = {
      ...(question !== undefined && { question: question.trim() }),
      ...(fileIds !== undefined && { fileIds: [...new Set(fileIds)] }),
      ...(expectedText !== undefined && { expectedText: expectedText.trim() }),
    }
    if (Object.keys(change).length > 0 && !(await store.updateQuestion(workspaceId, before, change)))
      throw alreadyAsked()
    return (await this.#shown(workspaceId, knowledgeId, [{ ...before, ...change }]))[0]!
  }

  async remove(workspaceId: string, knowledgeId: string, id: string): Promise<void> {
    const store = await this.#storeOf(workspaceId, knowledgeId)
    if (!(await store.removeQuestion(workspaceId, knowledgeId, id))) throw noSuchQuestion()
  }

  async #requireDocuments(workspaceId: string, knowledgeId: string, fileIds: string[]): Promise<void> {
    const names = await this.#parts.store.documentNames(workspaceId, knowledgeId, fileIds)
    const missing = fileIds.findIndex(id => !names.has(id))
    if (missing >= 0)
      throw invalidField(
        `/file_ids/${missing}`,
        'is not a document of this knowledge base; add it first, or name another one',
      )
  }

  /** Adds the lines that can be added, and reports the others with the reason. */
  async importQuestions(workspaceId: string, knowledgeId: string, format: 'csv' | 'jsonl', content: string) {
    const { clock } = this.#parts
    const store = await this.#storeOf(workspaceId, knowledgeId)
    const lines = importedQuestions(format, content)
    const named = [...new Set(lines.flatMap(({ documents }) => documents))]
    const ids = await store.documentNames(workspaceId, knowledgeId, named)
    const names = named.filter(each => !ids.has(each))
    const known = await store.documentsNamed(workspaceId, knowledgeId, names)
    const byName = Map.groupBy(known, ({ name }) => name)
    const skipped: (Problem & { line: number })[] = []
    const rows: (GoldenQuestion & { line: number })[] = []
    const asked = new Set<string>()
    const createdAt = clock.now()
    for (const { line, question, documents, text, problem } of lines) {
      const found = documents.map(each =>
        ids.has(each) ? [each] : (byName.get(each) ?? []).map(({ fileId }) => fileId),
      )
      const missing = documents.find((_, at) => found[at]!.length === 0)
      const why = problem ?? (missing !== undefined ? unknownDocument(missing) : undefined)
      if (why || asked.has(question)) {
        skipped.push({ line, ...(why ?? { reason: 'duplicate', message: 'the question is listed twice' }) })
        continue
      }
      asked.add(question)
      // All documents of the same name count, because the question tells which text is meant.
      const fileIds = [...new Set(found.flat())].slice(0, limits.goldenDocuments)
      rows.push({ id: mintId('gold'), knowledgeId, question, fileIds, expectedText: text, createdAt, line })
    }
    const questions = rows.map(({ line: _, ...row }) => row)
    const added = await store.addQuestions(workspaceId, knowledgeId, questions, limits.goldenQuestions)
    if (added === 'too_many') throw tooMany()
    const isAdded = new Set(added.map(({ id }) => id))
    for (const { id, line } of rows)
      if (!isAdded.has(id)) skipped.push({ line, reason: 'exists', message: 'the question already exists' })
    return { added: added.length, skipped: skipped.sort((left, right) => left.line - right.line) }
  }

  /** The questions as import accepts them, in this base or in another one with documents of the same names. */
  async *export(workspaceId: string, knowledgeId: string, format: 'csv' | 'jsonl'): AsyncGenerator<string> {
    const store = await this.#storeOf(workspaceId, knowledgeId)
    if (format === 'csv') yield csvRow(['question', 'document', 'text'])
    const questions = await store.allQuestions(workspaceId, knowledgeId)
    for (const { question, documents, expectedText } of await this.#shown(
      workspaceId,
      knowledgeId,
      questions,
    )) {
      // A document is named unless its name is unknown or would be read as two names.
      const names = documents.map(({ fileId, name }) =>
        name === undefined || name.includes('|') ? fileId : name,
      )
      yield format === 'csv'
        ? csvRow([question, names.join('|'), expectedText])
        : `${JSON.stringify({ question, documents: names, text: expectedText })}\n`
    }
  }

  async start(workspaceId: string, knowledgeId: string, startedBy: string): Promise<GoldenRun> {
    const { store, bases, clock, wake } = this.#parts
    const base = await bases.find(workspaceId, knowledgeId)
    if ((await store.countQuestions(workspaceId, knowledgeId)) === 0)
      throw new AppError('invalid_request', 'There are no golden questions to run. Add a question first.')
    const run = { id: mintId('grun'), knowledgeId, generationId: base.generation.id, startedBy }
    const added = await store.addRun(workspaceId, { ...run, createdAt: clock.now() }, limits.keptGoldenRuns)
    wake()
    return added
  }

  async runs(workspaceId: string, knowledgeId: string, page: PageRequest): Promise<Page<ListedGoldenRun>> {
    const store = await this.#storeOf(workspaceId, knowledgeId)
    return store.listRuns(workspaceId, knowledgeId, page)
  }

  async run(workspaceId: string, knowledgeId: string, id: string): Promise<GoldenRun> {
    const store = await this.#storeOf(workspaceId, knowledgeId)
    const run = await store.findRun(workspaceId, knowledgeId, id)
    if (!run) throw new AppError('not_found', 'The run does not exist in this knowledge base')
    return run
  }

  /** The change stays although questions are lost; later runs are compared with an accepted manual run. */
  async accept(workspaceId: string, knowledgeId: string, id: string): Promise<GoldenRun> {
    const { store, clock, wake } = this.#parts
    const run = await this.#undecided(workspaceId, knowledgeId, id)
    if (run.reason === 'manual' && run.status !== 'lost')
      throw new AppError(
        'version_conflict',
        'The run is still in progress. Wait until it ends, then accept or discard it.',
      )
    if (!(await store.decide(workspaceId, id, 'accepted', clock.now()))) throw decided()
    wake()
    return this.run(workspaceId, knowledgeId, id)
  }

  /** Restores the settings from before the change. */
  async discard(workspaceId: string, knowledgeId: string, id: string): Promise<GoldenRun> {
    const { store, baseStore, clock, wake } = this.#parts
    const { reason, previous, generationId } = await this.#undecided(workspaceId, knowledgeId, id)
    const now = clock.now()
    if (reason === 'index') await baseStore.discardNext(workspaceId, knowledgeId, generationId, now)
    if (reason === 'retrieval' && previous)
      await baseStore.update(workspaceId, knowledgeId, () => ({ retrieval: previous }), {
        nextGenerationId: mintId('gen'),
        now,
      })
    // Restoring settings discards the run in the same transaction, so only a manual run is still to be discarded.
    await store.decide(workspaceId, id, 'discarded', now)
    wake()
    return this.run(workspaceId, knowledgeId, id)
  }

  async #undecided(workspaceId: string, knowledgeId: string, id: string): Promise<GoldenRun> {
    const run = await this.run(workspaceId, knowledgeId, id)
    if (run.finishedAt !== undefined && run.status !== 'lost') throw decided()
    return run
  }
}

const unknownDocument = (name: string): Problem => ({
  reason: 'unknown_document',
  message: `the document “${name}” is not in this knowledge base`,
})

const tooMany = (): AppError =>
  new AppError(
    'invalid_request',
    `A knowledge base may have ${limits.goldenQuestions} golden questions. Delete some, or add fewer.`,
  )

const alreadyAsked = (): AppError =>
  new AppError('already_exists', 'This golden question already exists in the knowledge base', {
    errors: [{ path: '/question', message: 'already exists' }],
  })

const noSuchQuestion = (): AppError =>
  new AppError('not_found', 'The golden question does not exist in this knowledge base')

const decided = (): AppError =>
  new AppError(
    'version_conflict',
    'This run has no open decision: it may have been accepted or discarded. Load it again.',
  )
