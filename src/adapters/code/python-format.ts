/**
 * The interpreter has neither `"…" % values` nor `"…".format(…)`. Where the format is a literal, both become sums of
 * strings and f-strings, on the same lines. A format that is not understood here stays as it is, and fails with the
 * message of the interpreter.
 */

const raw = String.raw
const prefix = raw`(?<!\w)(?<prefix>[a-zA-Z]{0,2})`
/** The end of the code closes a string, so that no text is scanned twice. */
const text = raw`(?<quote>"""|'''|"|')(?<content>(?:\\[\s\S]|(?!\k<quote>)[^\\])*)(?:\k<quote>|\\?$)`
const literal = new RegExp(prefix + text, 'y')
/** Comments are skipped, too: they may contain quotes. */
const literalOrComment = new RegExp(raw`#.*|${prefix}${text}`, 'g')
const gap = /(?:[ \t]|\\\n)*/y
const wideGap = /(?:\s|\\\n|#.*\n)*/y
const formatCall = /\s*\.format(?=\()/y
const percent = /%(?!=)(?:[ \t]|\\\n)*/y
const trailingBackslash = /(?<!\\)(?:\\\\)*\\$/

interface Literal {
  readonly prefix: string
  readonly quote: string
  readonly content: string
  /** The text between this literal and the next one. */
  readonly after: string
}

/** The expression of a field, or undefined where the format is not understood. */
type Field = (match: RegExpExecArray) => string | undefined

export function rewriteFormatting(code: string): string {
  if (!/["']\s*(?:\)\s*)?(?:%|\.format\()/.test(code)) return code
  let result = ''
  let done = 0
  literalOrComment.lastIndex = 0
  for (let match = literalOrComment.exec(code); match; match = literalOrComment.exec(code)) {
    if (match[0].startsWith('#')) continue
    const { literals, end } = adjacentLiterals(code, match.index)
    const rewritten = rewriteFormat(code, { literals, start: match.index, end })
    if (rewritten) {
      result += code.slice(done, match.index) + rewritten.text
      done = rewritten.end
    }
    literalOrComment.lastIndex = Math.max(rewritten?.end ?? end, match.index + match[0].length)
  }
  return result + code.slice(done)
}

/** `"a" "b"` is one text. Lines are joined only where more text follows, which is inside of brackets. */
function adjacentLiterals(code: string, start: number): { literals: Literal[]; end: number } {
  const literals: Literal[] = []
  let end = start
  for (let at = start; ; ) {
    const found = matchAt(literal, code, at)?.groups
    if (!found) return { literals, end }
    end = literal.lastIndex
    at = end + matchAt(wideGap, code, end)![0].length
    literals.push({ ...(found as unknown as Literal), after: code.slice(end, at) })
  }
}

/** Start of brackets around a string that belong to no call. */
const groupStart = /(?:^|[^\w\s)\]"']|\b(?:return|in|and|or|not|if|elif|else|is))\s*\(\s*$/
const groupEnd = /\s*\)/y

function rewriteFormat(
  code: string,
  { literals, start, end: last }: { literals: readonly Literal[]; start: number; end: number },
): { text: string; end: number } | undefined {
  // Bytes are not text, and an f-string is filled in first.
  if (literals.some(each => /[^rRuU]/.test(each.prefix))) return undefined
  const isGroup = groupStart.test(code.slice(Math.max(0, start - 100), start))
  const close = (isGroup && matchAt(groupEnd, code, last)?.[0]) || ''
  const end = last + close.length
  const call = matchAt(formatCall, code, end)
  if (call) {
    const sum = filled(literals, replacementFields, replacementField())
    return sum === undefined
      ? sum
      : { text: `(lambda *__a__, **__k__: ${sum})${close}`, end: end + call[0].length }
  }
  const operator = end + matchAt(gap, code, end)![0].length
  const sign = matchAt(percent, code, operator)
  const operand = sign && operator + sign[0].length
  const operandEnd = operand && endOfOperand(code, operand)
  if (!operandEnd) return undefined
  const isNamed = literals.some(({ content }) => /%\(/.test(content))
  const sum = filled(literals, conversions, conversion(isNamed))
  const values = rewriteFormatting(code.slice(operand, operandEnd))
  const given = isNamed
    ? values
    : `(lambda __x__: __x__ if isinstance(__x__, tuple) else (__x__,))(${values})`
  return sum === undefined ? sum : { text: `(lambda __v__: ${sum})${close}(${given})`, end: operandEnd }
}

const replacementFields =
  /\{\{|\}\}|\{(?<name>\w*)(?<inside>(?:\[\w+\])*)(?:!(?<convert>[rs]))?(?::(?<spec>[^{}]*))?\}|[{}]/g
const conversions =
  /%(?:\((?<name>\w+)\))?(?<flags>[-+ 0]*)(?<width>\d*)(?<precision>\.\d+)?(?<type>[sdifFeEgGxXor%])|%/g
/** Format specifications that the interpreter knows: a comma as thousands separator is not among them. */
const knownSpec = /^(?:[^'"\\]?[<>=^])?[-+ ]?0?\d*(?:\.\d+)?[bdeEfFgGosxX%]?$/

/** Fields of `str.format`. */
function replacementField(): Field {
  let next = 0
  return ({ 0: whole, groups = {} }) => {
    if (whole === '{{' || whole === '}}') return whole[0]
    const { name, inside = '', convert = '', spec = '' } = groups
    if (name === undefined || !knownSpec.test(spec)) return undefined
    const keys = inside.replace(/\[(\w+)\]/g, (_, key: string) =>
      /^\d+$/.test(key) ? `[${key}]` : `['${key}']`,
    )
    const value =
      name === '' ? `__a__[${next++}]` : /^\d+$/.test(name) ? `__a__[${Number(name)}]` : `__k__['${name}']`
    return `f"{${value}${keys}${convert && `!${convert}`}${spec && `:${spec}`}}"`
  }
}

const integer = /[dixXo]/

/** Conversions of `%`. */
function conversion(isNamed: boolean): Field {
  let next = 0
  return ({ 0: whole, groups = {} }) => {
    const { name, flags = '', width = '', precision = '', type } = groups
    if (type === '%') return whole === '%%' ? '%' : undefined
    if (type === undefined || (name !== undefined) !== isNamed) return undefined
    const value = isNamed ? `__v__['${name}']` : `__v__[${next++}]`
    const isText = type === 's' || type === 'r'
    const align = flags.includes('-') ? '<' : isText ? '>' : ''
    const sign = isText ? '' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
    const zero = !isText && !align && flags.includes('0') ? '0' : ''
    // The precision of an integer has no counterpart in f-strings.
    if (integer.test(type) && precision) return undefined
    const spec = `${width && align}${sign}${width && zero}${width}${precision}`
    const shown = isText
      ? `${type === 's' ? 'str' : 'repr'}(${value})`
      : integer.test(type)
        ? `int(${value})`
        : value
    return `f"{${shown}:${spec}${isText ? '' : type.replace('i', 'd')}}"`
  }
}

/** The literals as a sum, or undefined if a field is not understood. One character is text. */
function filled(literals: readonly Literal[], pattern: RegExp, field: Field): string | undefined {
  const terms: string[] = []
  for (const { prefix: kind, quote, content, after } of literals) {
    const pieces: string[] = []
    let piece = ''
    let at = 0
    // The braces of a named escape are not a field.
    if (content.includes('\\N{')) return undefined
    for (const match of content.matchAll(pattern)) {
      const expression = field(match as RegExpExecArray)
      if (expression === undefined) return undefined
      piece += content.slice(at, match.index)
      at = match.index + match[0].length
      if (expression.length === 1) piece += expression
      else {
        pieces.push(piece, expression)
        piece = ''
      }
    }
    piece += content.slice(at)
    const sources = [...pieces, piece].map((each, index) =>
      index % 2 ? each : `${kind}${quote}${each}${quote}`,
    )
    if ([...pieces.filter((_, index) => index % 2 === 0), piece].some(each => !isWhole(each, quote)))
      return undefined
    terms.push(sources.join(' + ') + after)
  }
  return terms.join(' + ').trimEnd()
}

/** Whether a part of a literal is itself the content of a literal. */
const isWhole = (part: string, quote: string): boolean =>
  !trailingBackslash.test(part) && !(quote.length === 3 && part.endsWith(quote[0]!))

const opening = /[([{]/
const skipped = new RegExp(raw`#.*|${prefix}${text}|[^"'#()[\]{}]`, 'y')
const name = /[\w.]+/y

/** Where the operand after `%` ends: a name, a literal or brackets, with calls, indices and attributes. */
function endOfOperand(code: string, start: number): number | undefined {
  let at = start + (/[-+~]/.test(code[start] ?? '') ? 1 : 0)
  const first = matchAt(literal, code, at) ?? matchAt(name, code, at)
  if (first) at += first[0].length
  else if (!opening.test(code[at] ?? '')) return undefined
  if (/^(?:not|lambda|await)$/.test(first?.[0] ?? '')) return undefined
  for (;;) {
    const attribute = /^\.\w/.test(code.slice(at, at + 2)) ? matchAt(name, code, at) : undefined
    if (attribute) at += attribute[0].length
    else if (opening.test(code[at] ?? '')) {
      const end = endOfBrackets(code, at)
      if (end === undefined) return undefined
      at = end
    } else break
  }
  const follows = code.slice(at, at + 100)
  // Not understood: adjacent string literals, and a power, which binds more tightly.
  return (first?.groups && /^\s*["']/.test(follows)) || /^[ \t]*\*\*/.test(follows) ? undefined : at
}

function endOfBrackets(code: string, start: number): number | undefined {
  let depth = 0
  for (let at = start; at < code.length; ) {
    const passed = matchAt(skipped, code, at)
    if (passed) at += passed[0].length
    else {
      depth += opening.test(code[at]!) ? 1 : -1
      at += 1
      if (depth === 0) return at
    }
  }
  return undefined
}

function matchAt(pattern: RegExp, code: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(code) ?? undefined
}
