import type { Counts } from '../../api/use-usage.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { useUsageWords } from './usage-words.ts'

/** The sums of all days. */
export function UsageTiles({ totals }: { totals: Counts }) {
  const words = useUsageWords()
  const formats = useFormats()
  const { runs, failures, prompt_tokens, completion_tokens, elapsed_ms } = totals
  const tokens = prompt_tokens + completion_tokens
  const tiles = [
    { name: words.runs, value: formats.number(runs), more: '' },
    {
      name: words.failures,
      value: formats.number(failures),
      more: words.failureRate(formats.share(failures / runs)),
    },
    {
      name: words.tokens,
      value: formats.number(tokens),
      more: words.tokensPerRun(formats.number(Math.round(tokens / runs))),
    },
    { name: words.promptTokens, value: formats.number(prompt_tokens), more: '' },
    { name: words.completionTokens, value: formats.number(completion_tokens), more: '' },
    {
      name: words.time,
      value: formats.duration(elapsed_ms),
      more: words.timePerRun(formats.duration(elapsed_ms / runs)),
    },
  ]
  return (
    <dl className="usage-tiles">
      {tiles.map(({ name, value, more }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="usage-value">{value}</dd>
          {more !== '' && <dd className="soft small">{more}</dd>}
        </div>
      ))}
    </dl>
  )
}
