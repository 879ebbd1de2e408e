import { type JsonRecord, ownValue } from '../../workflow/node-kind.ts'
import { mentionedOptions } from '../mentions.ts'
import { mapValue, type Parameter, type Value } from './parameters.ts'

export interface TurnInput {
  /** The user's message without files. */
  message: string
  /** The values that the model extracted, unchecked. */
  extracted: JsonRecord
  asked: string | undefined
}

/** A shorter text is more often a whole answer than the beginning of an echo. */
const minEchoLength = 40

/** The values after a turn: a known value stays until the user gives another one. */
export function takeValues(
  parameters: readonly Parameter[],
  known: ReadonlyMap<string, Value>,
  turn: TurnInput,
): Map<string, Value> {
  const values = new Map(known)
  for (const parameter of parameters) {
    const value = extractedValue(parameter, turn)
    const isOpen = parameter.name === turn.asked || !known.has(parameter.name)
    const taken = value ?? (isOpen ? valueInMessage(parameter, turn) : undefined)
    if (taken !== undefined) values.set(parameter.name, taken)
  }
  return values
}

function extractedValue(parameter: Parameter, { message, extracted, asked }: TurnInput): Value | undefined {
  const raw = ownValue(extracted, parameter.name)
  // A model that repeats the whole message as a free text has extracted nothing, unless the user was asked for it.
  const echo = parameter.type === 'text' && parameter.name !== asked && isEcho(raw, message)
  return echo ? undefined : mapValue(parameter, raw)
}

function isEcho(raw: unknown, message: string): boolean {
  if (typeof raw !== 'string') return false
  const [text, whole] = [raw.trim(), message.trim()]
  return text === whole || (text.length >= minEchoLength && whole.startsWith(text))
}

/** For models that miss it: the only option or date in the message, or nothing but the number or boolean asked for. */
function valueInMessage(parameter: Parameter, { message, extracted, asked }: TurnInput): Value | undefined {
  if (parameter.options.length > 0) {
    // A model that answers null has mostly understood that the user does not choose.
    const onlyChosen = ownValue(extracted, parameter.name) === null
    const mentioned = mentionedOptions(message, parameter.options, { onlyChosen })
    if (parameter.type === 'list') return mapValue(parameter, mentioned)
    return mentioned.length === 1 ? mentioned[0] : undefined
  }
  if (parameter.type === 'date') return dateIn(parameter, message)
  const plain = parameter.type === 'number' || parameter.type === 'boolean'
  return parameter.name === asked && plain ? mapValue(parameter, message) : undefined
}

function dateIn(parameter: Parameter, message: string): Value | undefined {
  const written = [...message.matchAll(/(?<!\d)(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)/g)]
  const days = written.map(
    ([, year, month, day]) => `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`,
  )
  return new Set(days).size === 1 ? mapValue(parameter, days[0]) : undefined
}
