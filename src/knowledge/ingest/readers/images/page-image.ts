import type { PhotonImage } from '@silvia-odwyer/photon-node'
import { limits } from '../../../../contract/limits.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { imageSize } from './image-size.ts'
import { type Bitmap, orientationOf, turnUpright } from './orientation.ts'

/** A page of A4 at 200 dpi. Models scale larger images down, and larger ones cost more. */
export const maxSide = 2400
const jpegQuality = 88
/** Contrast out of 255; anything below is fainter than text. */
const minContrast = 32

const loadPhoton = () => import('@silvia-odwyer/photon-node')
type Photon = Awaited<ReturnType<typeof loadPhoton>>

export const refuseLargeImage = (width: number, height: number): void => {
  if (width * height > limits.imagePixels)
    throw new DocumentFailure(
      'too_large',
      `The image has ${width} × ${height} pixels; the limit is ${limits.imagePixels / 1_000_000} million. Save it smaller.`,
    )
}

/** Whether nothing is drawn on the page, so that there is nothing to recognise. */
function isBlank(rgba: Uint8Array): boolean {
  for (let at = 0; at < rgba.length; at += 4)
    for (let channel = 0; channel < 3; channel++)
      if (Math.abs(rgba[at + channel]! - rgba[channel]!) > minContrast) return false
  return true
}

/** Draws the image on white, as it is displayed: transparent pixels would become black. */
function flatten(rgba: Uint8Array): void {
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3]!
    if (alpha === 255) continue
    for (let channel = at; channel < at + 3; channel++)
      rgba[channel] = Math.round((rgba[channel]! * alpha + 255 * (255 - alpha)) / 255)
    rgba[at + 3] = 255
  }
}

/** Scales the image to a size that models can use, and frees it. */
function shrink(photon: Photon, image: PhotonImage): Bitmap {
  const [width, height] = [image.get_width(), image.get_height()]
  const scale = Math.min(1, maxSide / Math.max(width, height))
  const size = (side: number): number => Math.max(1, Math.round(side * scale))
  const scaled =
    scale < 1 ? photon.resize(image, size(width), size(height), photon.SamplingFilter.Triangle) : image
  const rgba = scaled.get_raw_pixels()
  const shrunk = { width: scaled.get_width(), height: scaled.get_height(), rgba }
  if (scaled !== image) scaled.free()
  image.free()
  return shrunk
}

/** The JPEG that is recognised; undefined for a blank page. */
export async function pageJpeg(bitmap: Bitmap): Promise<Uint8Array<ArrayBuffer> | undefined> {
  refuseLargeImage(bitmap.width, bitmap.height)
  const photon = await loadPhoton()
  const { width, height, rgba } =
    Math.max(bitmap.width, bitmap.height) > maxSide
      ? shrink(photon, new photon.PhotonImage(bitmap.rgba, bitmap.width, bitmap.height))
      : bitmap
  flatten(rgba)
  if (isBlank(rgba)) return undefined
  const image = new photon.PhotonImage(rgba, width, height)
  // Copied, so that its buffer can be transferred to another thread.
  const jpeg = new Uint8Array(image.get_bytes_jpeg(jpegQuality))
  image.free()
  return jpeg
}

/** Decodes a PNG, JPEG, WebP, GIF (its first frame) or BMP file. */
export async function decodeImage(bytes: Uint8Array): Promise<Bitmap> {
  const size = imageSize(bytes)
  if (!size) throw brokenImage()
  refuseLargeImage(size.width, size.height)
  const photon = await loadPhoton()
  try {
    const bitmap = shrink(photon, photon.PhotonImage.new_from_byteslice(bytes))
    return turnUpright(bitmap, orientationOf(bytes))
  } catch (cause) {
    throw brokenImage(cause)
  }
}

export const brokenImage = (cause?: unknown): DocumentFailure =>
  new DocumentFailure('broken_file', 'The image is damaged. Save or export it again.', { cause })
