import { Spin } from 'antd'
import { defineWords } from './words.ts'

const useWords = defineWords({ loading: 'Loading…' }, { loading: '加载中…' })

export function Loading() {
  const words = useWords()
  return (
    <div className="loading" role="status" aria-label={words.loading}>
      <Spin delay={200} />
    </div>
  )
}
