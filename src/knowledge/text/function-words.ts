import { textTerms } from './text-terms.ts'

const english =
  'a an and are as at be by can could did do does for from had has have how i in is it its me my of on or our shall should that the their them there these they this those to was we were what when where which who whom whose why will with would you your'

/**
 * Words that ask or join and say nothing about the subject. In a large base they are common and count little by
 * themselves; in a small one "how do I" may stand in a single passage, and must not lead there.
 */
export const functionWords: ReadonlySet<string> = new Set(textTerms(english))
