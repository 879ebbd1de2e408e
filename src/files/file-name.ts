import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'

const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/

const fault = (name: unknown): string | undefined => {
  if (typeof name !== 'string') return 'must be a string'
  if (name.trim() === '') return 'must not be empty'
  if ([...name].length > limits.nameLength) return `must not be longer than ${limits.nameLength} characters`
  if (controlCharacter.test(name)) return 'must not contain control characters'
  if (!name.isWellFormed()) return 'must be well-formed Unicode'
  // Decoders put this in the place of broken UTF-8; the name the client meant is lost.
  if (name.includes('\ufffd')) return 'must be valid UTF-8'
  return undefined
}

/**
 * The name as the client wrote it, `../../etc/passwd` included: a name is only ever shown,
 * never used to build a path.
 */
export const checkFileName = (name: unknown, pointer: string): string => {
  const message = fault(name)
  if (message !== undefined) throw invalidField(pointer, message)
  return name as string
}
