import { defineWords } from '../../ui/words.ts'
import type { KnowledgeDocument } from './use-knowledge.ts'

const useWords = defineWords(
  {
    unsupported_format: 'This kind of file cannot be read.',
    broken_file: 'The file is damaged.',
    encrypted: 'The file is protected with a password.',
    no_text: 'The file holds no text.',
    unknown_encoding: 'Its characters cannot be told.',
    too_large: 'It is too large.',
    too_complex: 'It takes too much to read it.',
    file_missing: 'Its content is gone.',
    embedding_not_configured: 'There is no embedding model.',
    embedding_failed: 'The embedding model failed.',
    embedding_changed: 'The embedding model has changed.',
    interrupted: 'Reading was interrupted.',
    internal: 'A fault of the server.',
    other: 'It could not be read.',
  },
  {
    unsupported_format: '无法读取这种文件。',
    broken_file: '文件已损坏。',
    encrypted: '文件受密码保护。',
    no_text: '文件中没有文字。',
    unknown_encoding: '无法识别文字编码。',
    too_large: '文件过大。',
    too_complex: '文件过于复杂，无法读取。',
    file_missing: '文件内容已不存在。',
    embedding_not_configured: '没有配置向量模型。',
    embedding_failed: '向量模型调用失败。',
    embedding_changed: '向量模型已变更。',
    interrupted: '读取被中断。',
    internal: '服务器内部错误。',
    other: '无法读取。',
  },
)

/** Why a document failed: in short in the reader's language, then in the server's own words what to do. */
export function FailureOfDocument({ document }: { document: KnowledgeDocument }) {
  const words = useWords()
  if (!document.error) return null
  const { code, message } = document.error
  const short = Object.hasOwn(words, code) ? words[code as keyof typeof words] : words.other
  return (
    <span className="kb-danger small kb-document-failure">
      <strong>{short}</strong> {message}
    </span>
  )
}
