import { isRecord, member, memberNames, sameJson } from './same-json.ts'

export type MergeChoice = 'mine' | 'theirs'

/** A thing as both sides began with it and as each of them has it now; undefined where it is absent. */
export interface Sides<Value> {
  readonly base: Value | undefined
  readonly mine: Value | undefined
  readonly theirs: Value | undefined
}

export interface MergedItem<Value> {
  readonly value: Value | undefined
  /** Where both sides changed it differently; undefined when they did not, empty when it is all of it. */
  readonly clash: readonly string[] | undefined
}

/** What only one side changed is taken from that side; where both did, differently, `choice` decides. */
export function mergeItem<Value>(sides: Sides<Value>, choice: MergeChoice): MergedItem<Value> {
  const { base, mine, theirs } = sides
  if (sameJson(mine, theirs) || sameJson(theirs, base)) return { value: mine, clash: undefined }
  if (sameJson(mine, base)) return { value: theirs, clash: undefined }
  // Without a common beginning these are two things that only happen to share a name: they are not mixed.
  if (!isRecord(base) || !isRecord(mine) || !isRecord(theirs)) return { value: sides[choice], clash: [] }
  const { value, clashes } = mergeFields({ base, mine, theirs }, choice, ['data'])
  return { value: value as Value, clash: clashes.length > 0 ? clashes : undefined }
}

type Fields = Readonly<Record<string, unknown>>

/** Merges records field by field, and those fields named by `deep` again field by field. */
export function mergeFields(
  { base, mine, theirs }: Sides<Fields>,
  choice: MergeChoice,
  deep: readonly string[] = [],
): { value: Fields; clashes: string[] } {
  const clashes: string[] = []
  const fields = memberNames(mine, theirs).map((name): [string, unknown] => {
    const sides = { base: member(base, name), mine: member(mine, name), theirs: member(theirs, name) }
    if (deep.includes(name) && isRecord(sides.base) && isRecord(sides.mine) && isRecord(sides.theirs)) {
      const inner = mergeFields(sides as Sides<Fields>, choice)
      clashes.push(...inner.clashes.map(clash => `${name}.${clash}`))
      return [name, inner.value]
    }
    const { value, isClash } = mergeValue(sides, choice)
    if (isClash) clashes.push(name)
    return [name, value]
  })
  return { value: Object.fromEntries(fields.filter(([, value]) => value !== undefined)), clashes }
}

function mergeValue(sides: Sides<unknown>, choice: MergeChoice): { value: unknown; isClash: boolean } {
  const { base, mine, theirs } = sides
  if (sameJson(mine, theirs) || sameJson(theirs, base)) return { value: mine, isClash: false }
  if (sameJson(mine, base)) return { value: theirs, isClash: false }
  return { value: sides[choice], isClash: true }
}
