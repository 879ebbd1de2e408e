import { InfoCircleOutlined } from '@ant-design/icons'
import { useLanguage } from '../../ui/preferences.ts'
import { documentWarningTexts } from '../../ui/server-texts/document-failure-texts.ts'
import { defineWords } from '../../ui/words.ts'
import { pageRanges } from './page-ranges.ts'
import type { KnowledgeDocument } from './use-knowledge.ts'

const useWords = defineWords(
  {
    page: (number: number) => `Page ${number} was not read.`,
    pages: (count: number, ranges: string[]) => `${count} pages were not read: ${ranges.join(', ')}.`,
    next: (sentence: string) => ` ${sentence}`,
  },
  {
    page: (number: number) => `第 ${number} 页未读取。`,
    pages: (count: number, ranges: string[]) => `有 ${count} 页未读取：第 ${ranges.join('、')} 页。`,
    next: (sentence: string) => sentence,
  },
)

const isKnown = (code: string): code is keyof typeof documentWarningTexts =>
  Object.hasOwn(documentWarningTexts, code)

interface DocumentWarningsProps {
  document: KnowledgeDocument
  /** Whether to show the reason and what to do. */
  isDetailed?: boolean
}

/** The missing parts of a document that is ready. */
export function DocumentWarnings({ document: { status, warnings }, isDetailed }: DocumentWarningsProps) {
  const words = useWords()
  const language = useLanguage()
  if (status !== 'ready') return null
  return warnings.map(({ code, message, page_count, pages }) => {
    // A newer server may have other codes.
    const text = isKnown(code) ? documentWarningTexts[code][language] : message
    return (
      <span key={code} className="soft small kb-document-warning">
        <InfoCircleOutlined aria-hidden />{' '}
        {page_count === 1 ? words.page(pages[0]!) : words.pages(page_count, pageRanges(pages, page_count))}
        {isDetailed && words.next(text)}
      </span>
    )
  })
}
