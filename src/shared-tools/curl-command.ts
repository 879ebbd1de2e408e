import { invalidField } from '../kernel/app-error.ts'

export interface CurlCommand {
  url: string
  method: string | undefined
  headers: [name: string, value: string][]
  /** Parts of the body, joined with `&`. */
  data: string[]
  /** Fields of a form (`-F`). */
  form: [name: string, value: string][]
  sendsDataInQuery: boolean
  user: string | undefined
  notes: string[]
}

const words = (text: string): string[] => text.split(' ')

/** Long names of the short options that a tool is concerned with, and of all that have a value. */
const longNames = new Map(
  words(
    'X:request H:header d:data u:user b:cookie A:user-agent e:referer F:form G:get I:head k:insecure ' +
      'T:upload-file K:config o:output m:max-time x:proxy w:write-out c:cookie-jar r:range E:cert ' +
      'U:proxy-user D:dump-header C:continue-at t:telnet-option y:speed-time Y:speed-limit z:time-cond ' +
      'Q:quote P:ftp-port',
  ).map(pair => pair.split(':') as [letter: string, name: string]),
)

const dataOptions = new Set(words('data data-raw data-binary data-ascii data-urlencode json'))
const withValue = new Set([
  ...dataOptions,
  ...words('request header user cookie user-agent referer form form-string url upload-file config'),
  ...words('oauth2-bearer url-query'),
  // These are ignored, because the request of a tool has nothing like them.
  ...words('output max-time proxy write-out cookie-jar cert proxy-user dump-header continue-at range'),
  ...words('telnet-option speed-time speed-limit time-cond quote ftp-port connect-timeout retry cacert'),
  ...words('key resolve retry-delay retry-max-time limit-rate interface max-redirs pass ciphers tls-max'),
  ...words('output-dir max-filesize unix-socket connect-to trace stderr'),
])

/** Reads the options of a curl command, without the word curl itself. */
export function readCurl(given: readonly string[]): CurlCommand {
  const command: CurlCommand = {
    ...{ url: '', method: undefined, headers: [], data: [], form: [], sendsDataInQuery: false },
    ...{ user: undefined, notes: [] },
  }
  // The next word last: taking the first one of a long list takes long.
  const rest = given.toReversed()
  for (let word = rest.pop(); word !== undefined; word = rest.pop()) {
    const long = /^--([a-z0-9.-]+)(?:=(.*))?$/s.exec(word)
    if (long) {
      const name = long[1]!
      apply(command, name, withValue.has(name) ? (long[2] ?? rest.pop() ?? '') : '')
    } else if (/^-[^-]/.test(word)) applyShort(command, word.slice(1), rest)
    else if (command.url === '') command.url = word
    else command.notes.push(`Only the first URL was taken; "${shown(word)}" was left out.`)
  }
  return command
}

const shown = (word: string): string => (word.length > 60 ? `${word.slice(0, 60)}…` : word)

/** Short options may be combined; the first one with a value takes the rest as its value. */
function applyShort(command: CurlCommand, letters: string, rest: string[]): void {
  for (const [place, letter] of [...letters].entries()) {
    const name = longNames.get(letter)
    if (name !== undefined && withValue.has(name)) {
      const attached = [...letters].slice(place + 1).join('')
      apply(command, name, attached === '' ? (rest.pop() ?? '') : attached)
      return
    }
    if (name !== undefined) apply(command, name, '')
  }
}

function apply(command: CurlCommand, name: string, value: string): void {
  const { headers, notes } = command
  if (name === 'request') command.method = value.toUpperCase()
  else if (name === 'header') headers.push(headerOf(value))
  else if (name === 'cookie') headers.push(['cookie', value])
  else if (name === 'oauth2-bearer') headers.push(['authorization', `Bearer ${value}`])
  else if (name === 'user') command.user = value
  else if (name === 'url') command.url = value
  else if (name === 'url-query') command.url += `${command.url.includes('?') ? '&' : '?'}${value}`
  else if (name === 'get') command.sendsDataInQuery = true
  else if (name === 'head') command.method = 'HEAD'
  else if (name === 'form' || name === 'form-string') addField(command, value, name === 'form')
  else if (name === 'upload-file' || name === 'config')
    throw invalidField('/content', `has the option --${name}, which needs a file; a tool cannot read files`)
  else if (name === 'insecure') notes.push('-k was left out: tools always check certificates.')
  else if (dataOptions.has(name)) addData(command, name, value)
}

function headerOf(text: string): [string, string] {
  const colon = text.indexOf(':')
  return colon < 0
    ? [text.replace(/;$/, '').trim(), '']
    : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]
}

function addField({ form, notes }: CurlCommand, text: string, mayBeFile: boolean): void {
  const [name = '', ...parts] = text.split('=')
  const value = parts.join('=')
  if (mayBeFile && /^[@<]/.test(value))
    notes.push(`The form field "${shown(name)}" is a file, which tools cannot send.`)
  else form.push([name, mayBeFile ? value.replace(/;(type|filename|encoder)=[^;]*$/, '') : value])
}

function addData({ data, headers }: CurlCommand, name: string, value: string): void {
  if (name !== 'data-raw' && (name === 'data-urlencode' ? /^[^=]*@/ : /^@/).test(value))
    throw invalidField(
      '/content',
      `reads its body from a file ("${shown(value)}"); paste the text of the file instead`,
    )
  if (name === 'json') headers.push(['content-type', 'application/json'])
  if (name !== 'data-urlencode') return void data.push(value)
  const equals = value.indexOf('=')
  const key = equals > 0 ? `${value.slice(0, equals)}=` : ''
  data.push(key + encodeURIComponent(value.slice(equals + 1).toWellFormed()))
}
