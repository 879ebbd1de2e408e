import { lazy, Suspense } from 'react'
import type { MarkdownProps } from '../ui/markdown/markdown-text.tsx'
import { CopyButton } from './copy-button.tsx'

const PlainText = ({ text }: { text: string }) => <div className="plain-text">{text}</div>

/** Images of an answer that are not files of its message are not loaded. */
const NoImage = ({ name }: { name: string }) => <span>{name}</span>

// An updated server no longer has the chunk; the text is what matters.
const Formatted = lazy(() =>
  import('../ui/markdown/markdown-text.tsx').then(
    module => ({ default: module.MarkdownText }),
    () => ({ default: PlainText }),
  ),
)

/** The Markdown of the agent; plain text until it can be formatted. */
export const Markdown = (props: MarkdownProps) => (
  <Suspense fallback={<PlainText text={props.text} />}>
    <Formatted {...props} CopyButton={CopyButton} FileImage={NoImage} />
  </Suspense>
)
