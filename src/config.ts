import { resolve } from 'node:path'

interface Setting<Value> {
  /** What a person who runs the server needs to know about it. */
  meaning: string
  /** As shown in the reference. */
  fallback: string
  read(text: string | undefined): Value
}

/** A setting that cannot be used; the message names it and says what would do. */
export class SettingError extends Error {}

const text = (fallback: string, meaning: string): Setting<string> => ({
  meaning,
  fallback,
  read: value => value ?? fallback,
})

const optionalText = (
  meaning: string,
  check: (value: string) => string | undefined = () => undefined,
): Setting<string | undefined> => ({
  meaning,
  fallback: '',
  read: value => {
    const problem = value === undefined ? undefined : check(value)
    if (problem) throw new SettingError(problem)
    return value
  },
})

const integer = (fallback: number, minimum: number, maximum: number, meaning: string): Setting<number> => ({
  meaning,
  fallback: String(fallback),
  read: value => {
    if (value === undefined) return fallback
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < minimum || number > maximum)
      throw new SettingError(`must be a whole number from ${minimum} to ${maximum}`)
    return number
  },
})

const oneOf = <Value extends string>(
  values: readonly Value[],
  fallback: Value,
  meaning: string,
): Setting<Value> => ({
  meaning: `${meaning} One of ${values.join(', ')}.`,
  fallback,
  read: value => {
    if (value === undefined) return fallback
    const found = values.find(candidate => candidate === value)
    if (!found) throw new SettingError(`must be one of ${values.join(', ')}`)
    return found
  },
})

/** Every setting of the server. The tables in the README and in docs/ are printed from here. */
export const settings = {
  HOST: text('127.0.0.1', 'Address to listen on. Take 0.0.0.0 to be reached from other machines.'),
  PORT: integer(8080, 0, 65_535, 'Port to listen on; 0 takes a free one.'),
  DATA_DIR: text('./data', 'Folder for the SQLite database, the files and the first token.'),
  DATABASE_URL: optionalText(
    '`postgres://…` to keep the data in PostgreSQL 15 or newer instead of SQLite.',
    value => (/^postgres(ql)?:\/\//.test(value) ? undefined : 'must begin with postgres://'),
  ),
  BOOTSTRAP_TOKEN: optionalText(
    "The operator's token, at least 16 characters. Unset: one is made at the first start.",
    value => (/^[\x21-\x7e]{16,512}$/.test(value) ? undefined : 'must be 16 to 512 visible ASCII characters'),
  ),
  LOG_LEVEL: oneOf(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'What is logged; at info, one line per request.',
  ),
  MAX_FILE_BYTES: integer(200 * 2 ** 20, 1, 2 ** 40, 'Largest file that can be uploaded, in bytes.'),
} satisfies Record<string, Setting<unknown>>

export interface Config {
  host: string
  port: number
  dataDir: string
  databaseUrl: string | undefined
  bootstrapToken: string | undefined
  logLevel: string
  maxFileBytes: number
}

/** The only reader of the environment. An empty value counts as unset. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const problems: string[] = []
  const read = <Name extends keyof typeof settings>(
    name: Name,
  ): ReturnType<(typeof settings)[Name]['read']> => {
    try {
      return settings[name].read(environment[name] || undefined) as ReturnType<
        (typeof settings)[Name]['read']
      >
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      problems.push(`${name} ${error.message}`)
      return undefined as ReturnType<(typeof settings)[Name]['read']>
    }
  }
  const config: Config = {
    host: read('HOST'),
    port: read('PORT'),
    dataDir: resolve(read('DATA_DIR')),
    databaseUrl: read('DATABASE_URL'),
    bootstrapToken: read('BOOTSTRAP_TOKEN'),
    logLevel: read('LOG_LEVEL'),
    maxFileBytes: read('MAX_FILE_BYTES'),
  }
  if (problems.length > 0)
    throw new SettingError(`These settings cannot be used:\n  ${problems.join('\n  ')}`)
  return config
}
