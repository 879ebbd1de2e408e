import type { ReactNode } from 'react'
import { defineWords } from '../../../ui/words.ts'
import { isObject } from '../fits-shape.ts'
import { inputId } from '../node-form.ts'
import { useDraft } from '../use-draft.ts'
import { TemplateInput } from './template-input.tsx'

const useWords = defineWords(
  {
    broken: (reason: string) => `This is not JSON yet and is not stored: ${reason}`,
    object: 'This must be an object in braces and is not stored yet.',
    list: 'This must be a list in brackets and is not stored yet.',
  },
  {
    broken: (reason: string) => `还不是有效的 JSON，尚未保存：${reason}`,
    object: '这里必须是花括号括起的对象，尚未保存。',
    list: '这里必须是方括号括起的列表，尚未保存。',
  },
)

interface JsonInputProps {
  value: unknown
  onChange(value: unknown): void
  pointer: string
  label: string
  /** Whether its texts may have references. */
  hasReferences?: boolean
  must?: 'object' | 'list' | undefined
  corner?: ReactNode
}

const textOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2))

/** JSON as text. What is not JSON stays in the field with the reason, and is not stored. */
export function JsonInput(props: JsonInputProps) {
  const { value, onChange, pointer, label, hasReferences = false, must, corner } = props
  const words = useWords()
  const [text, keep] = useDraft(value, textOf)
  const read = readJson(text)
  const problem =
    'problem' in read
      ? words.broken(read.problem)
      : read.value === undefined || must === undefined || fits(must, read.value)
        ? undefined
        : words[must]
  const change = (next: string): void => {
    const parsed = readJson(next)
    const isGood =
      'value' in parsed && (parsed.value === undefined || must === undefined || fits(must, parsed.value))
    keep(next, isGood ? parsed.value : value)
    if (isGood) onChange(parsed.value)
  }
  return (
    <>
      <TemplateInput
        text={text}
        onText={change}
        pointer={pointer}
        label={label}
        look="code"
        hasReferences={hasReferences}
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

/** An empty text stands for a field that is not set. */
function readJson(text: string): { value: unknown } | { problem: string } {
  if (text.trim() === '') return { value: undefined }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
