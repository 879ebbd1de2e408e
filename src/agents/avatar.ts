import { type Avatar, avatarColors } from '../contract/avatar.ts'
import { limits } from '../contract/limits.ts'
import { isRecord } from '../kernel/is-record.ts'
import type { Agent } from './agent.ts'

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const visible = /^[\p{L}\p{N}\p{P}\p{S}]/u

/** Whether readers see the text as one character: many emoji consist of several code points. */
export const isOneCharacter = (text: string): boolean =>
  visible.test(text) &&
  text.length <= limits.avatarLength &&
  graphemes.segment(text).containing(0)?.segment === text

/** The stored avatar, if valid: before the field was defined, clients could store anything under this name. */
export function avatarOf({ avatar }: Agent['config']): Avatar {
  if (!isRecord(avatar)) return {}
  const { emoji } = avatar
  const color = avatarColors.find(each => each === avatar['color'])
  return {
    ...(typeof emoji === 'string' && isOneCharacter(emoji) && { emoji }),
    ...(color && { color }),
  }
}
