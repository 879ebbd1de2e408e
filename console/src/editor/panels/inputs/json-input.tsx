import type { ReactNode } from 'react'
import { parseExact } from '../../../api/exact-json.ts'
import { defineWords } from '../../../ui/words.ts'
import { isObject } from '../fits-shape.ts'
import { inputId } from '../node-form.ts'
import { useDraft, useUnfinishedText } from '../use-draft.ts'
import { TemplateInput } from './template-input.tsx'

const useWords = defineWords(
  {
    broken: (reason: string) => `Invalid JSON, not saved: ${reason}`,
    object: 'Must be a JSON object in braces; not saved yet.',
    list: 'Must be a JSON array in brackets; not saved yet.',
  },
  {
    broken: (reason: string) => `JSON 无效，尚未保存：${reason}`,
    object: '必须是花括号括起的 JSON 对象，尚未保存。',
    list: '必须是方括号括起的 JSON 数组，尚未保存。',
  },
)

interface JsonInputProps {
  value: unknown
  onChange(value: unknown): void
  pointer: string
  label: string
  /** Whether its texts may contain references. */
  hasReferences?: boolean
  hasSecrets?: boolean
  /** References that start with this name are values of the node itself. */
  local?: string | undefined
  must?: 'object' | 'list' | undefined
  /** Why a value is invalid, or undefined. */
  refuse?(value: unknown): string | undefined
  corner?: ReactNode
}

const textOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2))

/** A JSON text field. Invalid JSON stays in the field with the reason, and is not saved. */
export function JsonInput(props: JsonInputProps) {
  const { value, onChange, pointer, label, hasReferences = false, must, refuse, corner } = props
  const { hasSecrets = false, local } = props
  const words = useWords()
  const unfinished = useUnfinishedText(pointer)
  const [text, keep] = useDraft(value, stored => unfinished.textOver(stored) ?? textOf(stored))
  const problemOf = (read: Read): string | undefined => {
    if ('problem' in read) return words.broken(read.problem)
    if (read.value === undefined) return undefined
    return must === undefined || fits(must, read.value) ? refuse?.(read.value) : words[must]
  }
  const problem = problemOf(readJson(text))
  const change = (next: string): void => {
    const read = readJson(next)
    if ('problem' in read || problemOf(read) !== undefined) {
      keep(next, value)
      unfinished.keep(next, value)
      return
    }
    keep(next, read.value)
    unfinished.forget()
    onChange(read.value)
  }
  return (
    <>
      <TemplateInput
        text={text}
        onText={change}
        pointer={pointer}
        label={label}
        look="code"
        language="json"
        hasReferences={hasReferences}
        hasSecrets={hasSecrets}
        local={local}
        isWrong={problem !== undefined}
        corner={corner}
      />
      {problem !== undefined && (
        <div className="problems" role="status" id={`${inputId(pointer)}-json`}>
          {problem}
        </div>
      )}
    </>
  )
}

const fits = (must: 'object' | 'list', value: unknown): boolean =>
  must === 'object' ? isObject(value) : Array.isArray(value)

type Read = { value: unknown } | { problem: string }

/** An empty text removes the field. */
function readJson(text: string): Read {
  if (text.trim() === '') return { value: undefined }
  try {
    return { value: parseExact(text) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
