import { useEffect, useMemo, useRef } from 'react'
import { ConsoleMarkdown } from '../markdown/console-markdown.tsx'
import { markPassage } from './mark-passage.ts'

/** Front matter is not part of the text. */
const frontMatter =
  /^\uFEFF?---[ \t]*\r?\n(?:[\w-]+\s*:[\s\S]{0,65536}?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/
const none: never[] = []

export interface SourceMarkdownProps {
  text: string
  /** The text to mark. */
  passage: string | undefined
  /** How far into the document the passage is, from 0 to 1. */
  share: number
  label: string
  /** Called when the document does not contain the passage, or cannot be shown. */
  onFailed: () => void
}

/** A formatted Markdown document with the passage marked. */
export function SourceMarkdown({ text, passage, share, label, onFailed }: SourceMarkdownProps) {
  const content = useRef<HTMLElement>(null)
  const body = useMemo(() => text.replace(frontMatter, ''), [text])
  const plugins = useMemo(
    () => (passage === undefined ? none : [markPassage(passage, share)]),
    [passage, share],
  )
  useEffect(() => {
    const mark = content.current?.querySelector('.source-mark')
    if (mark) mark.scrollIntoView({ block: 'center' })
    else if (passage !== undefined) onFailed()
  }, [passage, onFailed])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard
    <section ref={content} className="source-formatted" aria-label={label} tabIndex={0}>
      <ConsoleMarkdown text={body} plugins={plugins} isDocument />
    </section>
  )
}
