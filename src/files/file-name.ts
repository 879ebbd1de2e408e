import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'
import { isBlank } from '../kernel/is-blank.ts'

const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/

const problemOf = (name: unknown): string | undefined => {
  if (typeof name !== 'string') return 'must be a string'
  if (isBlank(name)) return 'must not be empty'
  if ([...name].length > limits.nameLength) return `must not be longer than ${limits.nameLength} characters`
  if (controlCharacter.test(name)) return 'must not contain control characters'
  if (!name.isWellFormed()) return 'must be well-formed Unicode'
  // Decoders replace invalid UTF-8 with U+FFFD; the original name is lost.
  if (name.includes('\ufffd')) return 'must be valid UTF-8'
  return undefined
}

/** The name as sent, even `../../etc/passwd`: a name is only displayed, never used to build a path. */
export const checkFileName = (name: unknown, pointer: string): string => {
  const message = problemOf(name)
  if (message !== undefined) throw invalidField(pointer, message)
  return name as string
}

/** A name that another server or a program chose, without characters that are not allowed. */
export function storableName(name: string): string {
  const cleaned = name
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f\ufffd]/g, '')
    .trim()
  const short = [...cleaned.slice(0, limits.nameLength * 2)].slice(0, limits.nameLength).join('')
  return isBlank(short) ? 'file' : short
}

/** The extension in lower case, without the dot; empty if there is none. */
export const extensionOf = (name: string): string => {
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase()
}
