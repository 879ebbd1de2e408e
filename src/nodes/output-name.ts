import type { Gap } from '../workflow/node-kind.ts'
import { gapAt } from './gaps.ts'
import { quote } from './read-setting.ts'

const maxNameLength = 200

/** Checks a name that an author chose and that references use; `key` is its place. */
export function checkName(key: string, name: string): Gap[] {
  const gap = (message: string): Gap[] => gapAt(key, message)
  if (name.trim() === '') return gap('A value needs a name.')
  // {{#memory.a.b#}} reads "b" inside the value "a", so a name with a dot could never be read.
  if (name.includes('.') || name.includes('#}}') || name !== name.trim())
    return gap(
      `${quote(name)} cannot be referred to; use a name without dots and without surrounding spaces.`,
    )
  if (name.length > maxNameLength)
    return gap(`${quote(name)} is too long; use a name of at most ${maxNameLength} characters.`)
  if (/\p{Cc}/u.test(name) || !name.isWellFormed())
    return gap(`${quote(name)} has invisible characters; remove them.`)
  return []
}

/** Checks the name of an additional output, which must differ from the outputs that the kind always has. */
export const checkOutputName = (key: string, name: string, reserved: readonly string[]): Gap[] =>
  reserved.includes(name)
    ? gapAt(
        key,
        `The name ${quote(name)} is taken by an output that every node of this kind has; use another.`,
      )
    : checkName(key, name)
