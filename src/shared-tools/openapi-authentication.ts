import { isJsonRecord, type JsonRecord, ownValue } from '../workflow/json-record.ts'
import { type ImportedTool, type NeededSecret, referenceTo, secretName } from './imported-tool.ts'
import { type OpenapiSchemas, record } from './openapi-schemas.ts'

interface AuthenticationContext {
  schemas: OpenapiSchemas
  /** Its headers, its notes and the query in `url` are completed. */
  tool: ImportedTool
  secrets: Map<string, NeededSecret>
}

/** Adds the first way of an operation to authenticate, with secrets that the caller stores. */
export function addAuthentication(
  document: JsonRecord,
  operation: JsonRecord,
  { schemas, tool, secrets }: AuthenticationContext,
): void {
  const listed = operation['security'] ?? document['security']
  const ways = Array.isArray(listed) ? listed.filter(isJsonRecord) : []
  if (ways.length === 0 || ways.some(way => Object.keys(way).length === 0)) return
  const known = {
    ...record(record(document['components'])['securitySchemes']),
    ...record(document['securityDefinitions']),
  }
  const secretFor = (scheme: string): string => {
    const name = secretName(scheme)
    secrets.set(name, { name, value: '' })
    return referenceTo(name)
  }
  for (const name of Object.keys(ways[0]!)) {
    const { type, in: where, name: field, scheme } = schemas.find(ownValue(known, name))
    const kind = String(scheme ?? '').toLowerCase()
    if (type === 'apiKey' && where === 'header') tool.headers[String(field).toLowerCase()] = secretFor(name)
    else if (type === 'apiKey' && where === 'query')
      tool.url += `${tool.url === '' ? '?' : '&'}${encodeURIComponent(String(field))}=${secretFor(name)}`
    else if (type === 'basic' || (type === 'http' && kind === 'basic')) {
      tool.headers['authorization'] = `Basic ${secretFor(name)}`
      tool.notes.push(`The secret ${secretName(name)} is "user:password" in Base64.`)
    } else if ((type === 'http' && kind === 'bearer') || type === 'oauth2' || type === 'openIdConnect') {
      tool.headers['authorization'] = `Bearer ${secretFor(name)}`
      if (type !== 'http')
        tool.notes.push(
          `The secret ${secretName(name)} is an access token; tools do not obtain one themselves.`,
        )
    } else tool.notes.push(`The authentication "${name}" cannot be taken over; add what it needs by hand.`)
  }
}
