import { useLanguage } from '../../ui/preferences.ts'
import { absenceText } from '../../ui/server-texts/absence-texts.ts'
import { defineWords } from '../../ui/words.ts'
import { DocumentSelect } from './document-select.tsx'
import type { Found, KnowledgeBase } from './use-knowledge.ts'

const useWords = defineWords(
  {
    region: 'Explanation of the results',
    terms: 'Search terms',
    termsAbout: 'Terms are matched by stem, so “days” finds “day”. Rare terms weigh more.',
    noTerms: 'None: the search was semantic only, or the query contains only punctuation.',
    term: 'Term',
    weight: 'Weight',
    chunks: 'Passages containing it',
    missing: 'Expected another document?',
    choose: 'Choose the document you expected',
    here: (places: string) => `It is in the results, at position ${places}.`,
  },
  {
    region: '结果说明',
    terms: '查找的词',
    termsAbout: '英文按词干查找，因此 “days” 也能找到 “day”。越少见的词，权重越大。',
    noTerms: '没有：本次只按语义搜索，或问题中只有符号。',
    term: '词',
    weight: '权重',
    chunks: '含有它的段落',
    missing: '少了某个文档？',
    choose: '选择你预期会出现的文档',
    here: (places: string) => `它在结果中，位于第 ${places} 位。`,
  },
)

interface SearchExplanationProps {
  base: KnowledgeBase
  found: Found
  explanation: NonNullable<Found['explanation']>
  fileId: string | undefined
  onFile: (fileId: string | undefined) => void
}

/** Explains a search: the terms, their weights, and why a document is missing. */
export function SearchExplanation({ base, found, explanation, fileId, onFile }: SearchExplanationProps) {
  const words = useWords()
  const language = useLanguage()
  const heaviest = Math.max(...explanation.terms.map(({ weight }) => weight), 0.001)
  const absence = explanation.absent.find(({ file_id }) => file_id === fileId)
  const places = found.items.flatMap((item, index) => (item.file_id === fileId ? [index + 1] : []))
  return (
    <section className="kb-explanation" aria-label={words.region}>
      <div>
        <h2>{words.terms}</h2>
        <p className="soft small">{explanation.terms.length === 0 ? words.noTerms : words.termsAbout}</p>
        {explanation.terms.length > 0 && (
          <table className="kb-terms">
            <thead>
              <tr>
                <th scope="col">{words.term}</th>
                <th scope="col">{words.weight}</th>
                <th scope="col">{words.chunks}</th>
              </tr>
            </thead>
            <tbody>
              {explanation.terms.slice(0, 30).map(({ term, weight, chunk_count }) => (
                <tr key={term}>
                  <th scope="row">{term}</th>
                  <td>
                    <span className="kb-score-track" aria-hidden="true">
                      <span style={{ width: `${(Math.max(0, weight) / heaviest) * 100}%` }} />
                    </span>
                    <span className="kb-number">{weight.toFixed(2)}</span>
                  </td>
                  <td className="kb-number">{chunk_count}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      <div>
        <h2>{words.missing}</h2>
        <DocumentSelect base={base} value={fileId} onChange={onFile} label={words.choose} />
        <p role="status" className="kb-explanation-reason">
          {fileId !== undefined &&
            (places.length > 0 ? words.here(places.join(', ')) : absence && absenceText(language, absence))}
        </p>
      </div>
    </section>
  )
}
