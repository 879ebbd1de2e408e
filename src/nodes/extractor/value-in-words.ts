import { mentionedIn } from '../mentions.ts'
import { mapValue, type Value } from './map-value.ts'
import type { Parameter } from './parameter.ts'

/**
 * What the user's own words say without any doubt, for models that miss it: the one option that is named, the one
 * date that is written out, or an answer that is nothing but the number or the yes that was asked for.
 */
export function valueInWords(parameter: Parameter, words: string, asked: boolean): Value | undefined {
  if (parameter.options.length > 0) {
    const terms = parameter.options.flatMap(({ label, value }) =>
      [label, value].map(text => ({ text, means: value })),
    )
    const named = mentionedIn(words, terms)
    if (parameter.type === 'list') return mapValue(parameter, named)
    return named.length === 1 ? named[0] : undefined
  }
  if (parameter.type === 'date') return dateIn(parameter, words)
  const plain = parameter.type === 'number' || parameter.type === 'boolean'
  return asked && plain ? mapValue(parameter, words) : undefined
}

function dateIn(parameter: Parameter, words: string): Value | undefined {
  const written = [...words.matchAll(/(?<!\d)(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)/g)]
  const days = written.map(
    ([, year, month, day]) => `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`,
  )
  return new Set(days).size === 1 ? mapValue(parameter, days[0]) : undefined
}
