interface ScoreBarProps {
  label: string
  /** Null where this leg took no part; then nothing is drawn, unless there is a note. */
  score: number | null
  note?: string | undefined
  isMain?: boolean
}

/** A score between 0 and 1, drawn and told. */
export function ScoreBar({ label, score, note, isMain = false }: ScoreBarProps) {
  if (score === null) return null
  const share = Math.min(1, Math.max(0, score))
  return (
    <div className={`kb-score${isMain ? ' main' : ''}`}>
      <span>{label}</span>
      <span className="kb-number">{score.toFixed(3)}</span>
      <meter className="visually-hidden" min={0} max={1} value={share} aria-label={label} />
      <span className="kb-score-track" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      {note !== undefined && <span className="soft small kb-score-note">{note}</span>}
    </div>
  )
}
