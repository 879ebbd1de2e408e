import { limits } from '../contract/limits.ts'

/** Text that every database can hold: what models and services write may have NUL characters or half characters. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '')

const cutWords = '\n\n[太长，其余未保存 Too long: the rest was not kept]'

/** A reply is read whole and in pages of a thousand, so it cannot be as long as a run likes. */
export const boundedReply = (text: string): string =>
  text.length <= limits.replyLength ? text : text.slice(0, limits.replyLength).toWellFormed() + cutWords
