/** A safe URL for a link in an answer; undefined for anything that could run code here. */
export function safeAddress(href: string | undefined): string | undefined {
  if (href === undefined || !URL.canParse(href)) return undefined
  return ['http:', 'https:', 'mailto:'].includes(new URL(href).protocol) ? href : undefined
}

/** The file that an image URL refers to; images are loaded from nowhere else. */
export const fileInAddress = (source: string | undefined): string | undefined =>
  /^(?:https?:\/\/[^/]+)?(?:\/api\/v1\/files\/)?(file_[A-Za-z0-9_-]{1,64})$/.exec(source ?? '')?.[1]
