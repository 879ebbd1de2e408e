import { type Gap, isJsonRecord, type JsonRecord } from '../workflow/node-kind.ts'
import { comparisons, oneSided } from './compare-values.ts'
import { quote, readList, readText } from './read-setting.ts'

/** What keeps the cases of a condition from being tried. */
export function conditionGaps(cases: readonly JsonRecord[]): Gap[] {
  const seen = new Set<string>()
  return cases.flatMap((each, index) => {
    const gaps = [...idGaps(each, index, seen), ...matchGaps(each, index)]
    const clauses = readList(each, 'when').filter(isJsonRecord)
    if (clauses.length === 0 && index < cases.length - 1) {
      const message =
        'This case always holds, so those after it are never tried: give it "when", or put it last.'
      gaps.push({ place: ['cases', index, 'when'], message })
    }
    return [
      ...gaps,
      ...clauses.flatMap((clause, place) => clauseGaps(clause, ['cases', index, 'when', place])),
    ]
  })
}

function idGaps(each: JsonRecord, index: number, seen: Set<string>): Gap[] {
  const place = ['cases', index, 'id']
  const id = readText(each, 'id')
  if (id.trim() === '')
    return [{ place, message: 'A case needs an id, which edges name in "data.case" to follow it.' }]
  if (seen.has(id)) return [{ place, message: `The id ${quote(id)} is used twice; give each case its own.` }]
  seen.add(id)
  return []
}

function matchGaps(each: JsonRecord, index: number): Gap[] {
  if (!Object.hasOwn(each, 'match') || ['all', 'any'].includes(readText(each, 'match'))) return []
  const message = `Must be "all" or "any", but is ${quote(readText(each, 'match'))}.`
  return [{ place: ['cases', index, 'match'], message }]
}

function clauseGaps(clause: JsonRecord, place: readonly (string | number)[]): Gap[] {
  const op = readText(clause, 'op')
  const gaps: Gap[] = []
  if (!Object.hasOwn(clause, 'left'))
    gaps.push({ place: [...place, 'left'], message: 'Say what is compared, such as {{#input.query#}}.' })
  if (!comparisons.has(op)) {
    const problem = op === '' ? 'A comparison needs an operator' : `There is no operator ${quote(op)}`
    const message = `${problem}; use one of ${[...comparisons.keys()].join(', ')}.`
    gaps.push({ place: [...place, 'op'], message })
  } else if (!oneSided.has(op) && !Object.hasOwn(clause, 'right')) {
    gaps.push({ place: [...place, 'right'], message: `Say what the left side is compared with by "${op}".` })
  }
  return gaps
}
