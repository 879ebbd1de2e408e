import './page.css'
import { defineWords } from './words.ts'

const useWords = defineWords({ loading: 'Loading…' }, { loading: '加载中…' })

/** The outline of what is being loaded. It appears with a delay, because most responses arrive earlier. */
export function Loading({ lines = 4 }: { lines?: number }) {
  const words = useWords()
  return (
    <div className="loading" role="status" aria-label={words.loading}>
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike
        <span key={at} className="loading-line" />
      ))}
    </div>
  )
}
