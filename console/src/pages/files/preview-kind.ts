export type PreviewKind = 'image' | 'audio' | 'video' | 'text' | 'none'

const textTypes =
  /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|x-ndjson|toml|sql)|.*\+(json|xml|yaml)$)/

const mostBytes: Readonly<Record<Exclude<PreviewKind, 'none'>, number>> = {
  image: 20 * 1024 ** 2,
  audio: 50 * 1024 ** 2,
  video: 50 * 1024 ** 2,
  // Only the beginning is fetched.
  text: Number.POSITIVE_INFINITY,
}

/** So much of a text is shown. */
export const textBytes = 64 * 1024

/**
 * How a file is shown. Pages and scripts are shown as their text; a drawing is only ever a picture, in which no script
 * runs.
 */
export function previewKindOf({ mime_type, size }: { mime_type: string; size: number }): PreviewKind {
  const [family] = mime_type.split('/')
  const kind =
    family === 'image' || family === 'audio' || family === 'video'
      ? family
      : textTypes.test(mime_type)
        ? 'text'
        : 'none'
  return kind !== 'none' && size <= mostBytes[kind] ? kind : 'none'
}
