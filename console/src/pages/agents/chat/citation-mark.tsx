import { defineWords } from '../../../ui/words.ts'
import type { Citation } from './citation-marks.ts'

const useWords = defineWords(
  { source: (index: number, file: string) => `Source ${index}: ${file}` },
  { source: (index: number, file: string) => `来源 ${index}：${file}` },
)

interface CitationMarkProps {
  indexes: readonly number[]
  citations: readonly Citation[]
  onCite: (citation: Citation) => void
}

/** The numbers of passages in an answer, each a way to the passage. */
export function CitationMark({ indexes, citations, onCite }: CitationMarkProps) {
  const words = useWords()
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
