import type { Element, ElementContent, Root } from 'hast'
import { type ComponentType, lazy, type ReactNode, Suspense, useMemo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { defineWords } from '../words.ts'
import { fileInAddress, safeAddress } from './addresses.ts'
import { markCitations } from './citation-marks.ts'
import type { Citation } from './citations.ts'
import { formulaIn, markFormulas } from './formulas.ts'
import { closeHeadingGaps } from './heading-levels.ts'
import { keepLineBreaks } from './line-breaks.ts'
import '../code-block.css'
import './markdown.css'

const useWords = defineWords(
  { copyCode: 'Copy code', code: 'Code', table: 'Table' },
  { copyCode: '复制代码', code: '代码', table: '表格' },
)

// Without its chunk, which an updated server no longer has, a text is shown as it is.
const Formula = lazy(() =>
  import('./formula.tsx').catch(() => ({ default: ({ tex }: { tex: string }) => <code>{tex}</code> })),
)
const CodeColours = lazy(() =>
  import('./code-colours.tsx').catch(() => ({ default: ({ code }: { code: string }): ReactNode => code })),
)

const textIn = (node: Element | ElementContent | undefined): string =>
  node?.type === 'text' ? node.value : node?.type === 'element' ? node.children.map(textIn).join('') : ''

const languageClass = /language-([\w+#-]+)/

/** The language that a block of code names. */
const languageOf = (code: ElementContent | undefined): string =>
  code?.type === 'element' ? (languageClass.exec(String(code.properties['className']))?.[1] ?? '') : ''

export interface MarkdownProps {
  text: string
  citations?: readonly Citation[]
  onCite?: (citation: Citation) => void
  /** Further changes of the formatted text. */
  plugins?: readonly Plugin[]
  /** Lines of a document may be wrapped anywhere, those of a message are not. */
  isDocument?: boolean
}

type Plugin = () => (tree: Root) => Root
const noPlugins: readonly Plugin[] = []
const noCitations: readonly Citation[] = []
const ignore = (): void => undefined
const documentSyntax = [remarkGfm]
const messageSyntax = [remarkGfm, keepLineBreaks]

/** The components that the page around the text provides. */
interface MarkdownParts {
  CopyButton: ComponentType<{ text: string; label: string; size: 'small' }>
  FileImage: ComponentType<{ fileId: string; name: string }>
}

/**
 * A model's Markdown. HTML in it is shown as text; links open outside the console, images are files of this
 * server.
 */
export function MarkdownText({
  text,
  citations = noCitations,
  onCite = ignore,
  plugins: further = noPlugins,
  isDocument = false,
  CopyButton,
  FileImage,
}: MarkdownProps & MarkdownParts) {
  const words = useWords()
  const marked = useMemo(() => markFormulas(text), [text])
  const plugins = useMemo(
    () => [markCitations(new Set(citations.map(({ index }) => index))), closeHeadingGaps, ...further],
    [citations, further],
  )
  const components = useMemo(
    (): Components => ({
      a: ({ href, children }) => {
        const address = safeAddress(href)
        return address === undefined ? (
          <span>{children}</span>
        ) : (
          <a href={address} target="_blank" rel="noreferrer noopener nofollow">
            {children}
          </a>
        )
      },
      img: ({ src, alt = '' }) => {
        const source = typeof src === 'string' ? src : undefined
        const fileId = fileInAddress(source)
        const address = safeAddress(source)
        if (fileId !== undefined) return <FileImage fileId={fileId} name={alt} />
        if (address === undefined) return <span>{alt}</span>
        return (
          <a href={address} target="_blank" rel="noreferrer noopener nofollow">
            {alt || address}
          </a>
        )
      },
      pre: ({ node, children }) => (
        <div className="code-block">
          <div className="code-head">
            <span>{languageOf(node?.children[0])}</span>
            <CopyButton size="small" text={textIn(node).replace(/\n$/, '')} label={words.copyCode} />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard */}
          <section aria-label={words.code} tabIndex={0}>
            <pre>{children}</pre>
          </section>
        </div>
      ),
      code: ({ node, className, children }) => {
        const text = textIn(node)
        const formula = formulaIn(text)
        if (formula)
          return (
            <Suspense fallback={<code>{formula.tex}</code>}>
              <Formula {...formula} />
            </Suspense>
          )
        const [, language] = languageClass.exec(className ?? '') ?? []
        if (language === undefined) return <code>{children}</code>
        return (
          <code>
            <Suspense fallback={children}>
              <CodeColours code={text} language={language.toLowerCase()} />
            </Suspense>
          </code>
        )
      },
      table: ({ children }) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard
        <section className="table-scroll" aria-label={words.table} tabIndex={0}>
          <table>{children}</table>
        </section>
      ),
      input: ({ checked }) => <span aria-hidden="true">{checked ? '☑ ' : '☐ '}</span>,
      cite: ({ node }) => (
        <CitationMark
          indexes={String(node?.properties['dataIndexes']).split(',').map(Number)}
          citations={citations}
          onCite={onCite}
        />
      ),
    }),
    [words, citations, onCite, CopyButton, FileImage],
  )
  return (
    <div className="markdown">
      <ReactMarkdown
        remarkPlugins={isDocument ? documentSyntax : messageSyntax}
        rehypePlugins={plugins}
        components={components}
      >
        {marked}
      </ReactMarkdown>
    </div>
  )
}

const useCitationMarkWords = defineWords(
  { source: (index: number, file: string) => `Source ${index}: ${file}` },
  { source: (index: number, file: string) => `来源 ${index}：${file}` },
)

interface CitationMarkProps {
  indexes: readonly number[]
  citations: readonly Citation[]
  onCite: (citation: Citation) => void
}

/** The numbers of cited passages, each a link to its passage. */
function CitationMark({ indexes, citations, onCite }: CitationMarkProps) {
  const words = useCitationMarkWords()
  const named = indexes.flatMap(index => citations.find(citation => citation.index === index) ?? [])
  return named.map(citation => {
    const label = words.source(citation.index, citation.file_name)
    return (
      <button
        key={citation.index}
        type="button"
        className="citation-mark"
        aria-label={label}
        title={label}
        onClick={() => onCite(citation)}
      >
        {citation.index}
      </button>
    )
  })
}
