import { createHash, randomInt, randomUUID } from 'node:crypto'
import type { ModuleNames } from './python-source.ts'

/** Raised inside the code, which may catch it, as the exception of this name. */
class PythonError extends Error {
  constructor(name: string, message: string) {
    super(message)
    this.name = name
  }
}

/** The environment of a module function besides its arguments. */
interface ModuleContext {
  log(line: string): void
  /** Blocks the thread; fails where the code has less time left. */
  sleep(seconds: number): void
}

type Options = Readonly<Record<string, unknown>>

/** `self` is the object whose method it is. */
type ModuleFunction = (
  values: readonly unknown[],
  options: Options,
  context: ModuleContext,
  self: PythonObject,
) => unknown

type Functions = Readonly<Record<string, ModuleFunction>>

interface Module extends ModuleNames {
  readonly values: Readonly<Record<string, unknown>>
  readonly functions: Functions
}

/** Host functions work outside of the memory limit, so they take no more than this at once. */
const maxBytes = 8 << 20

const wrong = (message: string): PythonError => new PythonError('TypeError', message)

function bytesOf(value: unknown, takesText: boolean): Buffer {
  const bytes =
    value instanceof Uint8Array
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      : takesText && typeof value === 'string' && value.length <= maxBytes
        ? Buffer.from(value)
        : undefined
  if (bytes === undefined) throw wrong('a bytes-like object is required: use .encode()')
  if (bytes.length > maxBytes) throw new PythonError('ValueError', `more than ${maxBytes >> 20} MiB at once`)
  return bytes
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw wrong('a text is required')
  if (value.length > maxBytes) throw new PythonError('ValueError', `more than ${maxBytes >> 20} MiB at once`)
  return value
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw wrong('a number is required')
  return Number(value)
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

const timeFields: Readonly<Record<string, (now: Date) => string>> = {
  Y: now => String(now.getFullYear()),
  m: now => twoDigits(now.getMonth() + 1),
  d: now => twoDigits(now.getDate()),
  H: now => twoDigits(now.getHours()),
  M: now => twoDigits(now.getMinutes()),
  S: now => twoDigits(now.getSeconds()),
  '%': () => '%',
}

function formatNow(values: readonly unknown[]): string {
  if (values.length > 1) throw wrong('time.strftime() formats the current time only: use datetime for others')
  const now = new Date()
  return textOf(values[0]).replace(/%(.)/g, (_, name: string) => {
    const field = timeFields[name]
    if (!field) throw new PythonError('ValueError', `time.strftime() does not know %${name}: use datetime`)
    return field(now)
  })
}

const time: Functions = {
  time: () => Date.now() / 1000,
  time_ns: () => BigInt(Date.now()) * 1_000_000n,
  monotonic: () => performance.now() / 1000,
  perf_counter: () => performance.now() / 1000,
  sleep: ([seconds], _options, context) => context.sleep(numberOf(seconds)),
  strftime: values => formatNow(values),
}

const base64: Functions = {
  b64encode: ([value]) => Buffer.from(bytesOf(value, false).toString('base64')),
  b64decode: ([value]) => Buffer.from(bytesOf(value, true).toString('latin1'), 'base64'),
  urlsafe_b64encode: ([value]) =>
    Buffer.from(bytesOf(value, false).toString('base64').replaceAll('+', '-').replaceAll('/', '_')),
  urlsafe_b64decode: ([value]) => Buffer.from(bytesOf(value, true).toString('latin1'), 'base64'),
}

/** `"%s of %d" % values`, as far as log lines use it. */
function logText([message, ...values]: readonly unknown[]): string {
  const rest = values.map(each => (typeof each === 'string' ? each : (JSON.stringify(each) ?? String(each))))
  return String(message).replace(/%[sdrf%]/g, place => (place === '%%' ? '%' : (rest.shift() ?? place)))
}

const levels = { DEBUG: 10, INFO: 20, WARNING: 30, ERROR: 40, CRITICAL: 50 }

const logAt =
  (level: string): ModuleFunction =>
  (values, _options, context) =>
    context.log(`${level}: ${logText(values)}`)

const ignored: ModuleFunction = () => null

const logger: Functions = {
  debug: logAt('DEBUG'),
  info: logAt('INFO'),
  warning: logAt('WARNING'),
  error: logAt('ERROR'),
  exception: logAt('ERROR'),
  critical: logAt('CRITICAL'),
  setLevel: ignored,
}

const logging: Functions = {
  ...logger,
  basicConfig: ignored,
  getLogger: () => namespace('logger'),
}

/** A fraction with 48 random bits, which is what the generator gives at once. */
const fraction = (): number => randomInt(2 ** 48 - 1) / (2 ** 48 - 1)

const between = (from: number, to: number): number => {
  if (!(Number.isSafeInteger(from) && Number.isSafeInteger(to)) || to < from || to - from >= 2 ** 47)
    throw new PythonError('ValueError', 'empty or too large range')
  return randomInt(from, to + 1)
}

function elements(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return [...value]
  if (!Array.isArray(value)) throw wrong('a list, tuple or text is required')
  return value
}

function sample([from, size]: readonly unknown[]): unknown[] {
  const all = [...elements(from)]
  const count = numberOf(size)
  if (!(count >= 0 && count <= all.length))
    throw new PythonError('ValueError', 'sample larger than population')
  return Array.from({ length: count }, () => all.splice(randomInt(all.length), 1)[0])
}

const random: Functions = {
  random: fraction,
  uniform: ([from, to]) => numberOf(from) + (numberOf(to) - numberOf(from)) * fraction(),
  randint: ([from, to]) => between(numberOf(from), numberOf(to)),
  randrange: ([from, to]) =>
    to === undefined ? between(0, numberOf(from) - 1) : between(numberOf(from), numberOf(to) - 1),
  choice: ([from]) => {
    const all = elements(from)
    if (all.length === 0) throw new PythonError('IndexError', 'cannot choose from an empty sequence')
    return all[randomInt(all.length)]
  },
  sample: values => sample(values),
}

const hashOf =
  (algorithm: string): ModuleFunction =>
  ([value]) =>
    namespace('hash', {
      name: algorithm,
      digested: createHash(algorithm)
        .update(bytesOf(value ?? Buffer.of(), false))
        .digest(),
    })

const hash: Functions = {
  digest: (_values, _options, _context, self) => bytesOf(self.fields['digested'], false),
  hexdigest: (_values, _options, _context, self) => bytesOf(self.fields['digested'], false).toString('hex'),
}

const dateParts = (at: Date): object => ({
  year: at.getUTCFullYear(),
  month: at.getUTCMonth() + 1,
  day: at.getUTCDate(),
})

/** A `datetime` of Python that shows the time with this offset; without one it belongs to no time zone. */
function dateTime(offsetSeconds: number, zone: object): object {
  const at = new Date(Date.now() + offsetSeconds * 1000)
  return {
    __monty_type__: 'DateTime',
    ...dateParts(at),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    microsecond: at.getUTCMilliseconds() * 1000,
    ...zone,
  }
}

const localOffset = (): number => -new Date().getTimezoneOffset() * 60

function now([given]: readonly unknown[], options: Options): object {
  const zone = (given ?? options['tz'] ?? null) as { offsetSeconds?: unknown; name?: unknown } | null
  if (zone === null) return dateTime(localOffset(), {})
  if (typeof zone.offsetSeconds !== 'number') throw wrong('tz must be a timezone')
  const { offsetSeconds, name } = zone
  return dateTime(offsetSeconds, { offsetSeconds, ...(typeof name === 'string' && { timezoneName: name }) })
}

/** The current time, which the interpreter's `datetime` cannot get from its machine. */
const clock: Functions = {
  now,
  today: () => dateTime(localOffset(), {}),
  utcnow: () => dateTime(0, {}),
  today_date: () => ({ __monty_type__: 'Date', ...dateParts(new Date(Date.now() + localOffset() * 1000)) }),
}

/** Escapes everything but letters, digits, "_.-~" and the characters in `safe`. */
const escapeUrl = (text: string, safe: string): string =>
  Array.from(text, each =>
    safe.includes(each)
      ? each
      : encodeURIComponent(each.isWellFormed() ? each : '\ufffd').replace(
          /[!'()*]/g,
          mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
        ),
  ).join('')

const unescapeUrl = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, bytes => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())

const escapeForm = (text: string): string => escapeUrl(text, ' ').replaceAll(' ', '+')

function urlencode([pairs]: readonly unknown[]): string {
  if (!(pairs instanceof Map) && !Array.isArray(pairs)) throw wrong('a dict or a list of pairs is required')
  return Array.from(pairs as Iterable<[unknown, unknown]>, ([name, value]) => [name, value])
    .map(pair => pair.map(each => escapeForm(textOf(String(each)))).join('='))
    .join('&')
}

const urlParse: Functions = {
  quote: ([text, safe = '/'], options) => escapeUrl(textOf(text), textOf(options['safe'] ?? safe)),
  quote_plus: ([text]) => escapeForm(textOf(text)),
  unquote: ([text]) => unescapeUrl(textOf(text)),
  unquote_plus: ([text]) => unescapeUrl(textOf(text).replaceAll('+', ' ')),
  urlencode: values => urlencode(values),
}

const lower = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'

const letters = {
  ascii_lowercase: lower,
  ascii_uppercase: lower.toUpperCase(),
  ascii_letters: lower + lower.toUpperCase(),
  digits,
  hexdigits: `${digits}abcdefABCDEF`,
  punctuation: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
  whitespace: ' \t\n\r\v\f',
}

const module = (functions: Module['functions'], values: Module['values'] = {}): Module => ({
  functions,
  values,
  constants: new Set(Object.keys(values)),
})

const hashes = ['md5', 'sha1', 'sha256', 'sha384', 'sha512']

/** Modules that code often imports and the interpreter lacks, as far as code of workflows uses them. */
export const pythonModules: ReadonlyMap<string, Module> = new Map([
  ['time', module(time)],
  ['base64', module(base64)],
  ['logging', module(logging, levels)],
  ['random', module(random)],
  ['uuid', module({ uuid4: () => randomUUID() })],
  ['hashlib', module(Object.fromEntries(hashes.map(each => [each, hashOf(each)])))],
  ['urllib.parse', module(urlParse)],
  ['string', module({}, letters)],
])

/** The methods of other objects: what functions of modules return, and the clock of `datetime`. */
const methods: ReadonlyMap<string, Functions> = new Map([
  ['logger', logger],
  ['hash', hash],
  ['clock', clock],
])

/** An object with attributes, whose methods are called outside of the interpreter. */
interface PythonObject {
  readonly __monty_type__: 'Dataclass'
  readonly name: string
  readonly typeId: bigint
  readonly fieldNames: readonly string[]
  readonly fields: Readonly<Record<string, unknown>>
  readonly frozen: true
}

const namespace = (name: string, fields: PythonObject['fields'] = {}): PythonObject => ({
  __monty_type__: 'Dataclass',
  name,
  typeId: 0n,
  fieldNames: Object.keys(fields),
  fields,
  frozen: true,
})

const isPythonObject = (value: unknown): value is PythonObject =>
  typeof value === 'object' &&
  value !== null &&
  '__monty_type__' in value &&
  value.__monty_type__ === 'Dataclass'

/** The objects through which the code uses modules; `urllib` contains `urllib.parse`. */
export const moduleObjects: ReadonlyMap<string, object> = new Map([
  ...Array.from(pythonModules, ([name, { values }]) => [name, namespace(name, values)] as const),
  ['urllib', namespace('urllib', { parse: namespace('urllib.parse') })],
  ['clock', namespace('clock')],
])

const functionsOf = (name: string): Functions => pythonModules.get(name)?.functions ?? methods.get(name) ?? {}

/** The names of all functions and methods. */
export const methodNames: readonly string[] = [
  ...new Set([...pythonModules.keys(), ...methods.keys()].flatMap(name => Object.keys(functionsOf(name)))),
]

/** Calls a method of such an object, which is the first argument. Named arguments are the last one, in a plain object. */
export function callMethod(method: string, given: readonly unknown[], context: ModuleContext): unknown {
  const [self, ...values] = given
  if (!isPythonObject(self)) throw new PythonError('NameError', `name '${method}' is not defined`)
  const functions = functionsOf(self.name)
  if (!Object.hasOwn(functions, method))
    throw new PythonError('AttributeError', `module '${self.name}' has no attribute '${method}'`)
  const last = values.at(-1)
  const options = isNamed(last) ? last : {}
  return functions[method]!(isNamed(last) ? values.slice(0, -1) : values, options, context, self)
}

/** Named arguments are the only plain object: a dict is a Map, and other Python objects name their type. */
const isNamed = (value: unknown): value is Options =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype &&
  !('__monty_type__' in value)
