/** A choice. The user sees the label; the value is what it stands for. */
export interface Option {
  label: string
  value: string
}

/** Names are searched only in the beginning of a message. */
const maxLength = 10_000
/** Longer names, and names beyond the maximum number, are ignored: each takes time for every character of a message. */
const maxNameLength = 200
const maxNames = 2000
const maxMatches = 100_000
const negated =
  /(?:不要|不想要|不想|不是|不喝|不选|别要|别|没有|\b(?:not|no|without|don't want|dont want)(?: an?| the)?)\s*$/
const rejected =
  /不(?:太|怎么|是很)?(?:喜欢|爱|想|要|喝|吃|选|用|能|可以)|别|没有|讨厌|除了|\b(?:not|never|hate|dislike|except|than|instead of|(?:any|every)thing but)\b|n['’]t\b/
const question = /[吗呢么]\s*$|\?/
const request = /\b(?:can|could|may) (?:i|we|you)\b|\bplease\b|[来要给]/
/** In a text of `foldName`, which has no full-width punctuation. */
const clauseEnd = /[,.;:!?。、\n]/
const maxClauseLength = 80

/** Texts that differ only in case, width or surrounding spaces are the same name. */
export const foldName = (text: string): string => text.normalize('NFKC').trim().toLowerCase()

/** The value of the option with this value or label; ignoring case and spaces only if that leaves one value. */
export function findOption(options: readonly Option[], given: string): string | undefined {
  const exact = options.find(({ value }) => value === given) ?? options.find(({ label }) => label === given)
  if (exact) return exact.value
  if (given.length > maxNameLength) return undefined
  const folded = foldName(given)
  const isAlike = (text: string): boolean => text.length <= maxNameLength && foldName(text) === folded
  const alike = options.filter(({ label, value }) => isAlike(label) || isAlike(value))
  return new Set(alike.map(({ value }) => value)).size === 1 ? alike[0]!.value : undefined
}

/**
 * The values of the options that a message mentions by value or label, each once. A name inside a longer name that is
 * present (大杯 in 超大杯) does not count, nor does part of an alphabetic word, nor a negated name ("not the large one").
 * `onlyChosen` leaves out names that are rejected otherwise in their part of a sentence, or asked about.
 */
export function mentionedOptions(
  message: string,
  options: readonly Option[],
  { onlyChosen = false } = {},
): string[] {
  const text = foldName(message.slice(0, maxLength))
  const terms = options
    .flatMap(({ label, value }) => [label, value].map(name => ({ name, value })))
    .filter(({ name }) => name.length <= maxNameLength)
    .slice(0, maxNames)
    .map(({ name, value }) => ({ name: foldName(name), value }))
  const byName = Map.groupBy(terms, ({ name }) => name)
  byName.delete('')
  const taken = new Uint8Array(text.length)
  const found = new Set<string>()
  let matches = 0
  for (const name of [...byName.keys()].sort((one, other) => other.length - one.length)) {
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      if (++matches > maxMatches) return [...found]
      const end = at + name.length
      if (!isWholeWord(text, at, end) || taken.subarray(at, end).includes(1)) continue
      taken.fill(1, at, end)
      if (negated.test(text.slice(Math.max(0, at - 16), at))) continue
      if (onlyChosen && !isChosen(text, at, end)) continue
      for (const { value } of byName.get(name)!) found.add(value)
    }
  }
  return [...found]
}

function isChosen(text: string, from: number, to: number): boolean {
  const before = text
    .slice(Math.max(0, from - maxClauseLength), from)
    .split(clauseEnd)
    .at(-1)!
  const after = text.slice(to, to + maxClauseLength)
  const end = after.search(clauseEnd)
  const clause = before + (end === -1 ? after : after.slice(0, end + 1))
  return !rejected.test(before) && (!question.test(clause) || request.test(clause))
}

const letter = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\d]/u

/** Chinese has no spaces between words, so only letters and digits can be part of a longer word. */
function isWholeWord(text: string, from: number, to: number): boolean {
  const joins = (one: string | undefined, other: string | undefined): boolean =>
    one !== undefined && other !== undefined && letter.test(one) && letter.test(other)
  return !joins(text[from - 1], text[from]) && !joins(text[to - 1], text[to])
}
