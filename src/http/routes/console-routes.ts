import { serverOperations as operations } from '../../contract/server-operations.ts'
import { AppError } from '../../kernel/app-error.ts'
import { Answer } from '../answer.ts'
import { type Call, type Route, route } from '../call.ts'
import type { ConsoleFile, ConsoleFiles } from '../console-files.ts'
import { entityTag, matchesTag } from '../entity-tags.ts'
import { htmlAnswer } from '../html-answer.ts'
import { unbuiltPage } from '../unbuilt-page.ts'

/** Script comes from this server alone, and none of it can be slipped in; pictures may be ones just uploaded. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // Ant Design writes its styles into the page.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

function fileAnswer(file: ConsoleFile, request: Call['request'], caching: string): Answer {
  const etag = entityTag(file.tag)
  const headers = {
    etag,
    'content-type': file.type,
    'cache-control': caching,
    vary: 'Accept-Encoding',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    ...(file.encoding && { 'content-encoding': file.encoding }),
  }
  return matchesTag(request.headers['if-none-match'], etag)
    ? new Answer(304, headers)
    : new Answer(200, headers, file.body)
}

/** The console: one page, and the files it loads, whose names change with their content. */
export function consoleRoutes(files: ConsoleFiles): Route[] {
  return [
    route(operations.home, async ({ request }) => {
      const page = await files.find('index.html', request.headers['accept-encoding'])
      return page ? fileAnswer(page, request, 'no-cache') : htmlAnswer(unbuiltPage())
    }),
    route(operations.asset, async ({ params, request }) => {
      const file = await files.find(`assets/${params.name}`, request.headers['accept-encoding'])
      if (!file) throw new AppError('not_found', 'There is no such file; load the page anew')
      return fileAnswer(file, request, 'public, max-age=31536000, immutable')
    }),
  ]
}
