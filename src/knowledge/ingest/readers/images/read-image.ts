import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { howToRecognise, type MediaReader } from '../../recognition/medium.ts'
import { brokenImage, decodeImage, pageJpeg, refuseLargeImage } from './page-image.ts'
import { type RenderedPage, recognisePages } from './recognise-pages.ts'

async function* imagePage(bytes: Uint8Array): AsyncGenerator<RenderedPage> {
  yield { page: undefined, jpeg: await pageJpeg(await decodeImage(bytes)) }
}

type Directory = Record<string, unknown>

const numberOf = (directory: Directory, tag: string): number => {
  const [value] = (directory[tag] ?? []) as unknown[]
  return typeof value === 'number' ? value : 0
}

/** Whether the image is a smaller copy or a mask of another page. */
const isCopy = (directory: Directory): boolean => (numberOf(directory, 't254') & 5) !== 0

async function openTiff(bytes: Uint8Array) {
  const { default: tiff } = await import('utif2')
  const buffer = bytes.slice().buffer
  try {
    const directories = tiff.decode(buffer) as (Directory & { width: number; height: number })[]
    const pages = directories.filter(each => numberOf(each, 't256') > 0 && !isCopy(each))
    if (pages.length === 0) throw new Error('no page')
    return { tiff, buffer, pages }
  } catch (cause) {
    throw brokenImage(cause)
  }
}

async function* tiffPages({ tiff, buffer, pages }: Awaited<ReturnType<typeof openTiff>>) {
  for (const [index, directory] of pages.entries()) {
    refuseLargeImage(numberOf(directory, 't256'), numberOf(directory, 't257'))
    let rgba: Uint8Array
    try {
      tiff.decodeImage(buffer, directory as never)
      rgba = tiff.toRGBA8(directory as never)
    } catch (cause) {
      throw brokenImage(cause)
    }
    const { width, height } = directory
    const jpeg = await pageJpeg({ width, height, rgba })
    // Otherwise the decoded pixels would stay in memory until the last page.
    directory['data'] = undefined
    yield { page: pages.length > 1 ? index + 1 : undefined, jpeg }
  }
}

/** The recognised text of an image; a TIFF file may have many pages. */
export async function* readImage(bytes: Uint8Array, media: MediaReader | undefined): AsyncGenerator<Block> {
  const isTiff = /^(?:II\*\0|MM\0\*)/.test(Buffer.from(bytes.subarray(0, 4)).toString('latin1'))
  const tiff = isTiff ? await openTiff(bytes) : undefined
  const count = tiff?.pages.length ?? 1
  if (!(await media?.startPages(count)))
    throw new DocumentFailure(
      'recognition_not_configured',
      `The file is an image, and no text recognition (OCR) is set up. ${howToRecognise}`,
    )
  for await (const { blocks } of recognisePages(tiff ? tiffPages(tiff) : imagePage(bytes), media!))
    yield* blocks
}
