import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** Smallest first. Browsers take brotli only where they trust the connection, so there is gzip besides. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

export interface ConsoleFile {
  body: Buffer
  type: string
  tag: string
  encoding: string | undefined
}

/** The files that the console was built into. What can be asked for is what stood there at the start. */
export class ConsoleFiles {
  readonly #folder: string
  readonly #names: ReadonlySet<string>

  constructor(folder: string) {
    this.#folder = folder
    this.#names = new Set(listed(folder, '').concat(listed(join(folder, 'assets'), 'assets/')))
  }

  /** Whether there is a console to serve. */
  get isBuilt(): boolean {
    return this.#names.has('index.html')
  }

  /** A file in the smallest form that the client takes. Read anew each time: a browser keeps what it got. */
  async find(name: string, accepted: string | undefined): Promise<ConsoleFile | undefined> {
    const type = contentTypes[extname(name)]
    if (type === undefined || !this.#names.has(name)) return undefined
    const taken = (accepted ?? '').split(',').map(part => part.trim().split(';')[0])
    const smaller = encodings.find(
      ([encoding, ending]) => taken.includes(encoding) && this.#names.has(name + ending),
    )
    const body = await readFile(join(this.#folder, name + (smaller?.[1] ?? '')))
    return { body, type, encoding: smaller?.[0], tag: hash('sha256', body).slice(0, 32) }
  }
}

function listed(folder: string, prefix: string): string[] {
  try {
    return readdirSync(folder).map(name => prefix + name)
  } catch {
    return []
  }
}
