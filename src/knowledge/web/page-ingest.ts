import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { LeaseLost } from '../../cluster/lease-name.ts'
import { limits } from '../../contract/limits.ts'
import type { WrittenBlob } from '../../files/blob-store.ts'
import type { FileService } from '../../files/file-service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { defaultChunking } from '../chunking.ts'
import type { DocumentStore } from '../document-store.ts'
import { DocumentFailure } from '../ingest/document-failure.ts'
import type { DocumentReader } from '../ingest/document-reader.ts'
import type { PageContent } from './page-content.ts'
import { type FetchedPage, failureOfStatus, type PageFetcher } from './page-fetcher.ts'
import { nextRefresh } from './refresh-schedule.ts'
import { WebFailure } from './web-failure.ts'
import type { HeldPage, WebPage } from './web-page.ts'
import type { WebPageStore } from './web-page-store.ts'

interface PageIngestParts {
  store: WebPageStore
  documents: DocumentStore
  files: FileService
  /** A reader without recognition of images, because it only compares texts. */
  reader: DocumentReader
  fetcher: PageFetcher
  time: { now(): number }
  clock: Clock
  /** Runs the work in one transaction, within the quotas of the workspace. */
  commit(workspaceId: string, work: () => Promise<void>): Promise<void>
  /** Called when documents are to be processed. */
  wakeIngestion(): void
}

/** The validators that the server sent with the page, for the next conditional request. */
const validatorsOf = ({ headers }: FetchedPage) => ({
  etag: (headers['etag'] ?? '').slice(0, 500),
  lastModified: (headers['last-modified'] ?? '').slice(0, 100),
})

/** Fetches a page and stores it as a document, or as the new content of its document. */
export class PageIngest {
  readonly #parts: PageIngestParts

  constructor(parts: PageIngestParts) {
    this.#parts = parts
  }

  /** `unchanged` if nothing has to be indexed. Fails with a `WebFailure`, or with `LeaseLost`. */
  async run(held: HeldPage, page: WebPage, signal: AbortSignal): Promise<'changed' | 'unchanged'> {
    const { fetcher, clock } = this.#parts
    const hasContent = page.fileId !== ''
    const fetched = await fetcher.fetch(page.url, {
      ...{ maxBytes: limits.webPageBytes, signal },
      headers: {
        ...(hasContent && page.etag !== '' && { 'if-none-match': page.etag }),
        ...(hasContent && page.lastModified !== '' && { 'if-modified-since': page.lastModified }),
      },
    })
    const failure = failureOfStatus(fetched)
    if (failure) throw failure
    const ended = { status: 'ready', error: undefined, failures: 0, fetchedAt: clock.now() } as const
    if (fetched.status === 304) {
      await this.#finish(held, ended)
      return 'unchanged'
    }
    // Loaded with the first page: the parser takes memory that a server without pages saves.
    const { pageContent } = await import('./page-content.ts')
    const content = pageContent(fetched)
    if (content.bytes.length === 0) throw new WebFailure('unreadable', 'The page is empty (0 bytes).')
    const change = { ...ended, ...validatorsOf(fetched) }
    return hasContent
      ? this.#update(held, page, content, change, signal)
      : this.#create(held, page, content, change, signal)
  }

  async #finish(held: HeldPage, change: Partial<WebPage>): Promise<void> {
    const { store, time } = this.#parts
    const due = (refresh: string, timezone: string | undefined) => nextRefresh(refresh, time.now(), timezone)
    if (!(await store.finish(held, change, due))) throw new LeaseLost()
  }

  async #receive(workspaceId: string, { bytes }: PageContent): Promise<WrittenBlob> {
    const { files } = this.#parts
    const blob = await files.receive(Readable.from([bytes]))
    await files.repair(workspaceId, blob)
    return blob
  }

  async #create(
    held: HeldPage,
    { knowledgeId, options, url }: WebPage,
    content: PageContent,
    change: Partial<WebPage>,
    signal: AbortSignal,
  ): Promise<'changed'> {
    const { documents, files, clock, commit, wakeIngestion } = this.#parts
    const { workspaceId } = held
    const { title, name } = content
    // A page without text does not become a document; the failure of the page says why.
    const textHash = content.isHtml ? await this.#textHash(workspaceId, content, signal) : ''
    const blob = await this.#receive(workspaceId, content)
    const now = clock.now()
    await commit(workspaceId, async () => {
      await documents.lockBase(workspaceId, knowledgeId)
      const { id: fileId } = await files.add(workspaceId, name, blob)
      await this.#finish(held, { ...change, title, fileId, sha256: blob.sha256, textHash, changedAt: now })
      const document = { chunking: undefined, metadata: options.metadata ?? {}, now, sourceUrl: url }
      // Undefined: the base was deleted meanwhile.
      if (!(await documents.add(workspaceId, knowledgeId, [fileId], document))) throw new LeaseLost()
    })
    wakeIngestion()
    return 'changed'
  }

  /** The previous content is searched until the new one is indexed. */
  async #update(
    held: HeldPage,
    page: WebPage,
    content: PageContent,
    change: Partial<WebPage>,
    signal: AbortSignal,
  ): Promise<'changed' | 'unchanged'> {
    const { documents, files, clock, commit, wakeIngestion } = this.#parts
    const { workspaceId } = held
    const { title, name, bytes, isHtml } = content
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const isSame = sha256 === page.sha256
    // Pages contain tokens and times that differ in every response, so only their text is compared.
    const textHash = isSame || !isHtml ? page.textHash : await this.#textHash(workspaceId, content, signal)
    const isSameText =
      isSame ||
      (isHtml && title === page.title && textHash === (await this.#storedHash(workspaceId, page, signal)))
    if (isSameText) {
      await this.#finish(held, { ...change, textHash })
      return 'unchanged'
    }
    const blob = await this.#receive(workspaceId, content)
    const now = clock.now()
    await commit(workspaceId, async () => {
      await documents.lockBase(workspaceId, page.knowledgeId)
      await this.#finish(held, { ...change, title, sha256: blob.sha256, textHash, changedAt: now })
      const replaced = await files.replace(workspaceId, page.fileId, name, blob)
      if (replaced) await documents.replaceContent(workspaceId, page.fileId, replaced, now)
    })
    wakeIngestion()
    return 'changed'
  }

  async #storedHash(
    workspaceId: string,
    { fileId, textHash }: WebPage,
    signal: AbortSignal,
  ): Promise<string> {
    if (textHash !== '') return textHash
    const { files } = this.#parts
    try {
      const file = await files.find(workspaceId, fileId)
      const bytes = await buffer(await files.read(file))
      return await this.#textHash(workspaceId, { name: file.name, bytes }, signal)
    } catch (error) {
      if (signal.aborted) throw error
      // The stored version is lost or has no text, so any other version is better.
      return ''
    }
  }

  /** The hash of the text without markup. A page with nothing but a title is drawn by a script in the browser. */
  async #textHash(
    workspaceId: string,
    { name, bytes, title }: Pick<PageContent, 'name' | 'bytes'> & { title?: string },
    signal: AbortSignal,
  ): Promise<string> {
    const hash = createHash('sha256')
    const file = { workspaceId, name, mimeType: 'text/html', size: bytes.length, batchId: '' }
    let hasMore = false
    try {
      await this.#parts.reader.read(
        { ...file, chunking: defaultChunking, load: async () => new Uint8Array(bytes) },
        async part => {
          for (const { heading, content } of part.chunks) {
            hash.update(JSON.stringify([heading, content]))
            hasMore ||= content.trim() !== title
          }
        },
        signal,
      )
    } catch (error) {
      if (!(error instanceof DocumentFailure)) throw error
      throw unreadable(error.message)
    }
    if (!hasMore) throw unreadable('It contains only its title.')
    return hash.digest('hex')
  }
}

const unreadable = (reason: string): WebFailure =>
  new WebFailure(
    'unreadable',
    `The page cannot be read: ${reason} Pages that need a login or JavaScript to show their text cannot be added; a previous version stays in the base.`,
  )
