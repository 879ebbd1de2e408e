import { exampleValue } from './example-value.ts'
import type { JsonSchema, MediaType, PathOperation } from './openapi-parts.ts'
import { prettyJson } from './pretty-json.ts'

/** Within single quotes a shell changes nothing; a single quote itself is written outside of them. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function url(
  operation: PathOperation,
  schemas: Record<string, JsonSchema>,
  query: [string, string][],
): string {
  const value = (schema: JsonSchema): string => encodeURIComponent(String(exampleValue(schema, schemas)))
  let path = operation.path
  const pairs = query.map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
  for (const parameter of operation.parameters) {
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, value(parameter.schema))
    if (parameter.in === 'query' && parameter.required)
      pairs.push(`${parameter.name}=${value(parameter.schema)}`)
  }
  return `"$BANYAN${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}"`
}

function dataOptions(type: string, media: MediaType, schemas: Record<string, JsonSchema>): string[] {
  if (type === 'multipart/form-data') return ['-F file=@hello.txt']
  const header = `-H 'Content-Type: ${type}'`
  if (type !== 'application/json') return [header, '--data-binary @hello.txt']
  const example = media.example ?? exampleValue(media.schema ?? {}, schemas)
  return [header, `-d ${shellQuoted(prettyJson(example, 50))}`]
}

/** An example request for a shell that knows $BANYAN, the server's address, and $TOKEN. */
export function curlCommand(
  operation: PathOperation,
  schemas: Record<string, JsonSchema>,
  body?: { type: string; media: MediaType },
): string {
  const isRaw = body !== undefined && body.type === 'application/octet-stream'
  const isBytes = operation.responses['200']?.content?.['application/octet-stream'] !== undefined
  return [
    `curl ${url(operation, schemas, isRaw ? [['name', 'hello.txt']] : [])}`,
    ...(operation.security.length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(body ? dataOptions(body.type, body.media, schemas) : []),
    ...(isBytes ? ['--output hello.txt'] : []),
  ].join(' \\\n  ')
}
