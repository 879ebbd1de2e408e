import { Badge } from '../../../ui/badge.tsx'
import type { GoldenResult } from './golden-data.ts'
import { outcomeTones, useGoldenWords } from './golden-words.ts'

/** The current and the previous rank of the expected passage. */
export function GoldenOutcome({ result, topK }: { result: GoldenResult; topK: number }) {
  const words = useGoldenWords()
  const { outcome, rank, rank_before } = result
  const note = (): string | undefined => {
    if (outcome === 'lost') return words.change(rank_before ?? 0, rank)
    if (outcome === 'not_found') return rank === null ? undefined : words.beyond(rank, topK)
    if (outcome === 'no_document' || rank_before === null) return undefined
    return rank_before === rank ? words.same : words.before(rank_before)
  }
  return (
    <span className="golden-outcome">
      <Badge tone={outcomeTones[outcome]}>
        {outcome === 'found' && rank !== null ? words.rank(rank) : words[outcome]}
      </Badge>
      <span className="soft small">{note()}</span>
    </span>
  )
}
