import { curlCommand } from './curl-command.ts'
import { exampleValue } from './example-value.ts'
import { type Field, fieldsOf, fieldTable } from './field-table.ts'
import { type Html, html, prose } from './html.ts'
import type { JsonSchema, MediaType, PathOperation } from './openapi-parts.ts'
import { elided, prettyJson } from './pretty-json.ts'

const places = [
  ['path', 'In the path'],
  ['query', 'In the query'],
  ['header', 'Headers'],
] as const

const code = (label: string, text: string): Html =>
  html`<figure><figcaption>${label}</figcaption><pre tabindex="0" aria-label="${label}"><code>${text}</code></pre></figure>`

/** X-TraceId goes with every operation and is told of once, at the top. */
function parameterTables({ parameters }: PathOperation): Html[] {
  return places.flatMap(([place, caption]) => {
    const fields: Field[] = parameters
      .filter(parameter => parameter.in === place && parameter.name !== 'X-TraceId')
      .map(({ name, schema, required, description }) => ({ name, schema, required, description, depth: 0 }))
    return fields.length > 0 ? [fieldTable(caption, fields)] : []
  })
}

/** What an answer tells, without the envelope around it. */
function answerFields(operation: PathOperation): { forms: JsonSchema[]; place: string } {
  const { code, msg, data, ...flat } =
    operation.responses['200']?.content?.['application/json']?.schema?.properties ?? {}
  if (data) return { forms: data.anyOf ?? [data], place: ', in data' }
  return { forms: code && msg ? [{ properties: flat }] : [], place: '' }
}

function answerTables(operation: PathOperation): Html[] {
  const { forms, place } = answerFields(operation)
  return forms.flatMap((form, at) => {
    const fields = fieldsOf(form)
    const caption = `${at === 0 ? 'Answer' : 'Or'}${place}`
    return fields.length > 0 ? [fieldTable(caption, fields, false)] : []
  })
}

/** In an answer a named schema is only hinted at; its own table shows it in full. */
function answerExample(answer: JsonSchema, schemas: Record<string, JsonSchema>): string {
  const hints = Object.keys(schemas).map(name => [name, { examples: [elided] }])
  return prettyJson(exampleValue(answer, Object.fromEntries(hints)))
}

function examples(operation: PathOperation, schemas: Record<string, JsonSchema>): Html[] {
  const bodies = Object.entries(operation.requestBody?.content ?? {})
  const request = (body?: [string, MediaType]): Html => {
    const label = bodies.length > 1 && body ? `Request, ${body[0]}` : 'Request'
    const command = curlCommand(operation, schemas, body && { type: body[0], media: body[1] })
    return code(label, command)
  }
  const answer = operation.responses['200']?.content?.['application/json']?.schema
  return [
    ...(bodies.length > 0 ? bodies.map(request) : [request()]),
    ...(answer?.properties ? [code('Answer', answerExample(answer, schemas))] : []),
  ]
}

/** One operation: what it does and takes on the left, what that looks like on the right. */
export function referenceOperation(operation: PathOperation, schemas: Record<string, JsonSchema>): Html {
  const { operationId: id, method, path, summary, description } = operation
  const body = operation.requestBody?.content['application/json']?.schema
  const bodyFields = body ? fieldsOf(body) : []
  return html`<article id="${id}" aria-labelledby="${id}.title"><header><h3 id="${id}.title"><a href="#${id}">${summary}</a></h3><p class="route"><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code> <span>${operation['x-access']}</span></p></header><div class="told">${description
    .split('\n\n')
    .map(words => html`<p>${prose(words)}</p>`)}${parameterTables(operation)}${
    bodyFields.length > 0 && fieldTable('Body, as JSON', bodyFields)
  }${answerTables(operation)}</div><div class="shown">${examples(operation, schemas)}</div></article>`
}
