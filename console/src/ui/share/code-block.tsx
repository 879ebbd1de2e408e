import { CopyButton } from '../copy-button.tsx'
import '../code-block.css'

interface CodeBlockProps {
  title: string
  text: string
  /** The name of the button that copies the code. */
  copy: string
}

export function CodeBlock({ title, text, copy }: CodeBlockProps) {
  return (
    <div className="code-block">
      <div className="code-head">
        <span />
        <CopyButton size="small" text={text} label={copy} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard */}
      <section aria-label={title} tabIndex={0}>
        <pre>{text}</pre>
      </section>
    </div>
  )
}
