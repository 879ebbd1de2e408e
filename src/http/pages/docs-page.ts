import type { JsonSchema, MediaType, OpenapiDocument } from '../openapi.ts'
import { basics, basicsSection, errorsSection } from './general-sections.ts'
import { banyanMark, type Html, html, pageFrame, prose, styleSheet } from './html.ts'
import {
  exampleValue,
  type Field,
  fieldsOf,
  fieldTable,
  operationsOf,
  type PathOperation,
  prettyJson,
} from './schema-view.ts'

/** Quotes a shell argument. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function url(operation: PathOperation, pairs: string[]): string {
  const value = (schema: JsonSchema): string => encodeURIComponent(String(exampleValue(schema)))
  let path = operation.path
  for (const parameter of operation.parameters) {
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, value(parameter.schema))
    if (parameter.in === 'query' && parameter.required)
      pairs.push(`${parameter.name}=${value(parameter.schema)}`)
  }
  return `"$BANYAN${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}"`
}

function dataOptions([type, { example }]: [string, MediaType]): string[] {
  if (type === 'multipart/form-data') return ['-F file=@hello.txt']
  const header = `-H 'Content-Type: ${type}'`
  if (type !== 'application/json') return [header, '--data-binary @hello.txt']
  return [header, `-d ${shellQuoted(prettyJson(example, 50))}`]
}

/** An example request with the shell variables $BANYAN, the server address, and $TOKEN. */
function curlCommand(operation: PathOperation, body?: [string, MediaType]): string {
  const isRaw = body?.[0] === 'application/octet-stream'
  const isBytes = operation.responses['200']?.content?.['application/octet-stream'] !== undefined
  return [
    `curl ${url(operation, isRaw ? ['name=hello.txt'] : [])}`,
    ...(operation.security.length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(body ? dataOptions(body) : []),
    ...(isBytes ? ['--output hello.txt'] : []),
  ].join(' \\\n  ')
}

const places = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const

const code = (label: string, text: string): Html =>
  html`<figure><figcaption>${label}</figcaption><pre tabindex="0" aria-label="${label}"><code>${text}</code></pre></figure>`

/** X-TraceId applies to every operation and is described once at the top. */
function parameterTables({ parameters }: PathOperation): Html[] {
  return places.flatMap(([place, caption]) => {
    const fields: Field[] = parameters
      .filter(parameter => parameter.in === place && parameter.name !== 'X-TraceId')
      .map(({ name, schema, required, description }) => ({ name, schema, required, description, depth: 0 }))
    return fields.length > 0 ? [fieldTable(caption, fields)] : []
  })
}

/** The fields of the response without its envelope. */
function responseFields(operation: PathOperation): { forms: JsonSchema[]; place: string } {
  const { code, msg, data, ...flat } =
    operation.responses['200']?.content?.['application/json']?.schema?.properties ?? {}
  if (data) return { forms: data.anyOf ?? [data], place: ', in data' }
  return { forms: code && msg ? [{ properties: flat }] : [], place: '' }
}

function responseTables(operation: PathOperation): Html[] {
  const { forms, place } = responseFields(operation)
  return forms.flatMap((form, at) => {
    const fields = fieldsOf(form)
    const caption = `${at === 0 ? 'Response' : 'Or'}${place}`
    return fields.length > 0 ? [fieldTable(caption, fields, false)] : []
  })
}

function examples(operation: PathOperation): Html[] {
  const bodies = Object.entries(operation.requestBody?.content ?? {})
  const request = (body?: [string, MediaType]): Html => {
    const label = bodies.length > 1 && body ? `Request, ${body[0]}` : 'Request'
    return code(label, curlCommand(operation, body))
  }
  const answer = operation.responses['200']?.content?.['application/json']?.schema
  return [
    ...(bodies.length > 0 ? bodies.map(request) : [request()]),
    ...(answer?.properties ? [code('Response', prettyJson(exampleValue(answer)))] : []),
  ]
}

/** One operation: description and fields on the left, examples on the right. */
function referenceOperation(operation: PathOperation): Html {
  const { operationId: id, method, path, summary, description } = operation
  const body = operation.requestBody?.content['application/json']?.schema
  const bodyFields = body ? fieldsOf(body) : []
  return html`<article id="${id}" aria-labelledby="${id}.title"><header><h3 id="${id}.title"><a href="#${id}">${summary}</a></h3><p class="route"><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code> <span>${operation['x-access']}</span></p></header><div class="text">${description
    .split('\n\n')
    .map(paragraph => html`<p>${prose(paragraph)}</p>`)}${parameterTables(operation)}${
    bodyFields.length > 0 && fieldTable('JSON body', bodyFields)
  }${responseTables(operation)}</div><div class="examples">${examples(operation)}</div></article>`
}

interface Family {
  name: string
  description: string
  operations: PathOperation[]
}

const familiesOf = (document: OpenapiDocument): Family[] => {
  const operations = operationsOf(document)
  return document.tags
    .map(tag => ({ ...tag, operations: operations.filter(({ tags }) => tags.includes(tag.name)) }))
    .filter(family => family.operations.length > 0)
}

const link = (id: string, title: Html | string): Html => html`<li><a href="#${id}">${title}</a></li>`

const sidebar = (families: readonly Family[], schemas: Record<string, JsonSchema>): Html =>
  html`<nav aria-label="Contents"><a class="brand" href="/">${banyanMark}Banyan</a><ul>
<li><a href="#basics">Basics</a><ul>${basics.map(({ id, title }) => link(id, title))}</ul></li>${families.map(
    ({ name, operations }) =>
      html`<li><a href="#${name}">${name}</a><ul>${operations.map(({ operationId, method, path }) =>
        link(
          operationId,
          html`<b class="${method.toLowerCase()}">${method}</b> ${path.replace(/^\/api\/v\d+/, '')}`,
        ),
      )}</ul></li>`,
  )}<li><a href="#schemas">Schemas</a><ul>${Object.keys(schemas).map(name => link(`schema.${name}`, name))}</ul></li><li><a href="#errors">Errors</a></li></ul></nav>`

const familySection = (family: Family): Html =>
  html`<section aria-labelledby="${family.name}"><h2 id="${family.name}">${family.name}</h2><p class="lead">${prose(family.description)}</p>${family.operations.map(referenceOperation)}</section>`

const schemasSection = (schemas: Record<string, JsonSchema>): Html =>
  html`<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>${Object.entries(schemas).map(
    ([name, schema]) =>
      html`<article id="schema.${name}" aria-labelledby="schema.${name}.title"><header><h3 id="schema.${name}.title"><a href="#schema.${name}">${name}</a></h3></header><div class="text">${
        schema.description && html`<p>${prose(schema.description)}</p>`
      }${fieldTable('Fields', fieldsOf(schema))}</div><div class="examples">${
        schema.examples && code('Example', prettyJson(schema.examples[0]))
      }</div></article>`,
  )}</section>`

/** The API reference, generated from the OpenAPI document. It works offline and without scripts. */
export function docsPage(document: OpenapiDocument): string {
  const { schemas } = document.components
  const families = familiesOf(document)
  const { title, version, description } = document.info
  const body = html`<a class="skip" href="#main">Skip to the content</a>
${sidebar(families, schemas)}
<main id="main"><header class="top"><h1>${title} API reference</h1><p class="lead">${description} Version ${version}, generated from the <a href="/openapi.json">OpenAPI document</a>.</p></header>
${basicsSection}
${families.map(familySection)}
${schemasSection(schemas)}
${errorsSection}
</main>`
  return pageFrame({ title: `${title} API reference`, description, style: styleSheet('docs.css'), body })
}
