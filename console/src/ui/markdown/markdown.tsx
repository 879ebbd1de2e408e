import { lazy, Suspense } from 'react'
import type { MarkdownProps } from './markdown-text.tsx'

const PlainText = ({ text }: { text: string }) => <div className="plain-text">{text}</div>

// An updated server no longer has the chunk; the text is what matters.
const Formatted = lazy(() =>
  import('./console-markdown.tsx').then(
    module => ({ default: module.ConsoleMarkdown }),
    () => ({ default: PlainText }),
  ),
)

/** The Markdown of an answer; plain text until it can be formatted. */
export const Markdown = (props: MarkdownProps) => (
  <Suspense fallback={<PlainText text={props.text} />}>
    <Formatted {...props} />
  </Suspense>
)
