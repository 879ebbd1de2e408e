import { Button } from 'antd'
import { useState } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import { defineWords } from '../../ui/words.ts'
import './value-view.css'

const useWords = defineWords(
  {
    copy: (title: string) => `Copy: ${title}`,
    all: (count: number) => `Show all ${count.toLocaleString('en')} characters`,
    less: 'Show less',
    empty: 'empty',
  },
  {
    copy: (title: string) => `复制：${title}`,
    all: (count: number) => `显示全部 ${count.toLocaleString('en')} 个字符`,
    less: '收起',
    empty: '空',
  },
)

const shownLength = 700
const shownLines = 14

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')

/** The beginning of a long text; the same text if it is short. */
function beginning(text: string): string {
  const lines = text.split('\n', shownLines + 1)
  const cut = lines.length > shownLines ? lines.slice(0, shownLines).join('\n') : text
  // Cut between characters, never within one.
  return cut.length > shownLength * 1.3 ? [...cut.slice(0, shownLength)].slice(0, -1).join('') : cut
}

/** A readable value: text as it is, anything else as JSON, long ones collapsed. */
export function ValueView({ title, value }: { title: string; value: unknown }) {
  const words = useWords()
  const isNamed = isRecord(value) && Object.keys(value).length > 0
  return (
    <section className="value">
      <div className="value-head">
        <h4>{title}</h4>
        <CopyButton text={textOf(value)} label={words.copy(title)} size="small" />
      </div>
      {isNamed ? (
        <dl>
          {Object.entries(value).map(([name, each]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Folded value={each} />
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <Folded value={value} />
      )}
    </section>
  )
}

function Folded({ value }: { value: unknown }) {
  const words = useWords()
  const [isOpen, setIsOpen] = useState(false)
  const text = textOf(value)
  if (text === '') return <span className="soft small">{words.empty}</span>
  const start = beginning(text)
  const isLong = start.length < text.length
  return (
    <>
      <pre className={typeof value === 'string' ? 'value-text' : undefined}>
        {isOpen || !isLong ? text : `${start}…`}
      </pre>
      {isLong && (
        <Button type="link" size="small" onClick={() => setIsOpen(!isOpen)} aria-expanded={isOpen}>
          {isOpen ? words.less : words.all(text.length)}
        </Button>
      )}
    </>
  )
}
