import { ApiFailure } from '../api/api-failure.ts'
import { defineWords } from '../ui/words.ts'

export const useFailureWords = defineWords(
  {
    unreachable: 'The connection was lost. Check your network and try again.',
    rate_limited: 'Too many requests. Wait a moment and try again.',
    quota_exceeded: 'The limit of this agent is reached. Try again later.',
    too_large: 'This file is too large.',
    unsupported_media_type: 'Files of this type are not accepted.',
    not_found: 'This conversation is no longer available.',
    token_missing: 'This chat is no longer public.',
    other: 'Something went wrong. Try again.',
  },
  {
    unreachable: '网络连接已断开，请检查网络后重试。',
    rate_limited: '请求过于频繁，请稍后重试。',
    quota_exceeded: '已达到使用上限，请稍后再试。',
    too_large: '文件过大。',
    unsupported_media_type: '不支持这种文件类型。',
    not_found: '对话已不存在。',
    token_missing: '此对话已不再公开。',
    other: '出错了，请重试。',
  },
)

type Words = ReturnType<typeof useFailureWords>

export const reasonText = (words: Words, reason: string): string =>
  Object.hasOwn(words, reason) ? words[reason as keyof Words] : words.other

export const failureText = (words: Words, error: unknown): string =>
  reasonText(words, error instanceof ApiFailure ? error.reason : 'other')
