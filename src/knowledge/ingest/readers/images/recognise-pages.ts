import { limits } from '../../../../contract/limits.ts'
import type { Block, Place } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import type { MediaReader, RecognisedText } from '../../recognition/medium.ts'

export interface RenderedPage {
  /** Undefined for an image that is no page of a document. */
  page: number | undefined
  /** Undefined for a blank page. */
  jpeg: Uint8Array<ArrayBuffer> | undefined
}

export interface RecognisedPage {
  page: number | undefined
  blocks: Block[]
}

/** Limits the pages of a document that are recognised, those of all its attachments together. */
export function withPageLimit(media: MediaReader): MediaReader {
  let pages = 0
  return {
    ...media,
    startPages: async total => {
      const canRecognise = await media.startPages(0)
      if (!canRecognise || total === 0) return canRecognise
      if (pages + total > limits.recognisedPages)
        throw new DocumentFailure(
          'too_large',
          `The document has ${pages + total} pages without text; the limit of text recognition is ${limits.recognisedPages}. Split it.`,
        )
      pages += total
      return media.startPages(total)
    },
  }
}

export async function blocksOfText({ form, text }: RecognisedText, place: Place = {}): Promise<Block[]> {
  const blocks =
    form === 'markdown'
      ? (await import('../markdown/read-markdown.ts')).readMarkdown(text)
      : (await import('../text/read-text.ts')).readText(text)
  return Array.from(blocks, block => ({ ...block, ...place }))
}

/** Recognises a few pages at a time, and returns them in their order. */
export async function* recognisePages(
  pages: AsyncIterable<RenderedPage>,
  media: MediaReader,
): AsyncGenerator<RecognisedPage> {
  const recognise = async ({ page, jpeg }: RenderedPage): Promise<RecognisedPage> => {
    const place = page === undefined ? {} : { page }
    if (jpeg) return { page, blocks: await blocksOfText(await media.read({ kind: 'page', jpeg }), place) }
    media.skipPage()
    return { page, blocks: [] }
  }
  const ahead: Promise<RecognisedPage>[] = []
  for await (const rendered of pages) {
    const recognised = recognise(rendered)
    // A failure is thrown in the order of the pages. Until then this keeps it from being reported as unhandled.
    recognised.catch(() => {})
    ahead.push(recognised)
    if (ahead.length >= limits.pagesAtOnce) yield await ahead.shift()!
  }
  for (const each of ahead) yield await each
}

/** Puts recognised pages between the blocks of pages that have text. */
export async function* inPageOrder(
  blocks: Iterable<Block> | AsyncIterable<Block>,
  recognised: AsyncGenerator<RecognisedPage>,
): AsyncGenerator<Block> {
  let next = await recognised.next()
  for await (const block of blocks) {
    while (!next.done && (next.value.page ?? 0) < (block.page ?? 0)) {
      yield* next.value.blocks
      next = await recognised.next()
    }
    yield block
  }
  for (; !next.done; next = await recognised.next()) yield* next.value.blocks
}
