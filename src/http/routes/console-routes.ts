import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { AgentStore } from '../../agents/agent-store.ts'
import { frameAncestors } from '../../agents/allowed-origins.ts'
import { serverOperations as operations } from '../../contract/server-operations.ts'
import { AppError } from '../../kernel/app-error.ts'
import { Answer, htmlAnswer } from '../answer.ts'
import { conditionalAnswer, entityTag } from '../content-headers.ts'
import { banyanMark, html, pageFrame } from '../pages/html.ts'
import { type Call, type Route, route } from '../route.ts'

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.pfb': 'application/octet-stream',
  '.bcmap': 'application/octet-stream',
  '.wasm': 'application/wasm',
}

/** Smallest first. Browsers accept brotli only over HTTPS, so there is gzip too. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

function fileNames(folder: string, prefix: string): string[] {
  try {
    return readdirSync(folder).map(name => prefix + name)
  } catch {
    return []
  }
}

const description = 'The server is running, but the console is not built.'

const body = html`<main id="main" class="page">
<h1>${banyanMark} Banyan</h1>
<p role="status">The server is running and the API is available, but the console is not built. Run <code>npm run build</code> in the server directory, restart the server, and reload this page.</p>
<p lang="zh-Hans">服务运行中，接口可用，但控制台尚未构建。请在服务器目录运行 <code>npm run build</code>，重启后刷新本页。</p>
<nav aria-label="Pages"><a href="${operations.docs.path}">Reference</a> · <a href="${operations.openapi.path}">OpenAPI 3.1</a></nav>
</main>`

/** Shown instead of the console if it is not built, for example after an installation without scripts. */
export const unbuiltPage = (): string =>
  pageFrame({
    title: 'Banyan',
    description,
    style: '.mark{width:1.6em}.page{max-width:40rem;margin:4rem auto}',
    body,
  })

/** Scripts only from this server, no inline scripts; images may be files that were just uploaded. */
const policyWith = (styles: string, base: string, frames: string, scripts = "'self'"): string =>
  [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${styles}`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    `base-uri ${base}`,
    "form-action 'none'",
    frames,
  ].join('; ')

// Ant Design injects its styles into the page.
const consoleStyles = "'self' 'unsafe-inline'"
const consolePolicy = policyWith(consoleStyles, "'none'", "frame-ancestors 'none'")

/** The worker that decodes scans in PDFs needs WebAssembly; it has a policy of its own, so that no page needs it. */
const workerPolicy = policyWith(
  consoleStyles,
  "'none'",
  "frame-ancestors 'none'",
  "'self' 'wasm-unsafe-eval'",
)
const isPdfWorker = (name: string): boolean => /^assets\/pdf\.worker[\w.-]*\.mjs$/.test(name)

/** The console: one page and its assets, whose names contain a content hash. Only files that existed at startup are served. */
export function consoleRoutes(folder: string, agents: Pick<AgentStore, 'findPublic'>): Route[] {
  const names = new Set([...fileNames(folder, ''), ...fileNames(join(folder, 'assets'), 'assets/')])

  /** A file in the smallest encoding that the client accepts. Not cached here, because browsers cache it. */
  const answer = async (
    name: string,
    request: Call['request'],
    caching: string,
    special: Record<string, string> = {},
  ): Promise<Answer | undefined> => {
    const type = contentTypes[extname(name)]
    if (type === undefined || !names.has(name)) return undefined
    const accepted = String(request.headers['accept-encoding'] ?? '')
      .split(',')
      .map(part => part.trim().split(';')[0])
    const smaller = encodings.find(
      ([encoding, ending]) => accepted.includes(encoding) && names.has(name + ending),
    )
    const body = await readFile(join(folder, name + (smaller?.[1] ?? '')))
    const headers = {
      etag: entityTag(hash('sha256', body).slice(0, 32)),
      'content-type': type,
      'cache-control': caching,
      vary: 'Accept-Encoding',
      'content-security-policy': isPdfWorker(name) ? workerPolicy : consolePolicy,
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      ...special,
      ...(smaller && { 'content-encoding': smaller[0] }),
    }
    return conditionalAnswer(request, headers, body)
  }

  /** The agent decides which pages may frame the chat page, so browsers must revalidate it. */
  const chatPage = async ({ params, request }: Call<typeof operations.chat>): Promise<Answer> => {
    const found = await agents.findPublic(params.agent_id)
    const frames = frameAncestors(found?.agent.allowedOrigins ?? [])
    const special = { 'content-security-policy': policyWith("'self'", "'self'", frames) }
    const page = (await answer('chat.html', request, 'no-store', special)) ?? htmlAnswer(unbuiltPage())
    // The page itself says that there is no such agent.
    return found ? page : new Answer(404, page.headers, page.body)
  }

  return [
    route(operations.chat, chatPage),
    route(operations.embed, async ({ request }) => {
      // Any website may load it; what it shows depends on the agent.
      const special = { 'cross-origin-resource-policy': 'cross-origin' }
      const script = await answer('embed.js', request, 'public, max-age=300', special)
      if (!script) throw new AppError('not_found', 'The console is not built; run npm run build')
      return script
    }),
    route(
      operations.home,
      async ({ request }) => (await answer('index.html', request, 'no-cache')) ?? htmlAnswer(unbuiltPage()),
    ),
    route(operations.asset, async ({ params, request }) => {
      const file = await answer(`assets/${params.name}`, request, 'public, max-age=31536000, immutable')
      if (!file) throw new AppError('not_found', `The console has no file ${params.name}; reload the page`)
      return file
    }),
  ]
}
