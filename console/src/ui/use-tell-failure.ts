import { App } from 'antd'
import { useFailureWords } from './failure-words.ts'

/** Tells of a failed action in passing; the page stays as it is. */
export function useTellFailure(): (error: unknown) => void {
  const { message } = App.useApp()
  const wordsOf = useFailureWords()
  return error => {
    const { title, details } = wordsOf(error)
    message.error([title, ...details].join(' '), 6)
  }
}
