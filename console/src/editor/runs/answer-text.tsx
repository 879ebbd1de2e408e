import Markdown from 'react-markdown'
import gfm from 'remark-gfm'

/** The answer of a run, which is usually Markdown. HTML in it stays text, and images are not fetched. */
export function AnswerText({ text }: { text: string }) {
  return (
    <div className="answer-text">
      <Markdown
        remarkPlugins={[gfm]}
        components={{
          a: ({ href, children }) => (
            <a href={href} target="_blank" rel="noreferrer">
              {children}
            </a>
          ),
          img: ({ src, alt }) => (
            <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noreferrer">
              {alt || src}
            </a>
          ),
        }}
      >
        {text}
      </Markdown>
    </div>
  )
}
