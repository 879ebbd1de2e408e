import type { Pausable } from '../../kernel/slices.ts'
import type { JsonSchema, MediaType, OpenapiDocument } from '../openapi.ts'
import { basics, basicsSection, errorsSection } from './general-sections.ts'
import {
  banyanMark,
  type Html,
  type HtmlPart,
  html,
  pageFrame,
  plainText,
  prose,
  styleSheet,
} from './html.ts'

export const operationsOf = (document: OpenapiDocument) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )

type PathOperation = ReturnType<typeof operationsOf>[number]

const scalars: Record<string, unknown> = { string: 'text', boolean: true, integer: 1, number: 1 }

/** Placeholder for a named schema, which has its own table. */
const elided = Symbol('elided')

type Schemas = Readonly<Record<string, JsonSchema>>

const schemaName = ({ $ref }: JsonSchema): string | undefined => $ref?.slice('#/components/schemas/'.length)

/** The schema that a reference refers to, or the schema itself. */
const resolved = (schema: JsonSchema, schemas: Schemas): JsonSchema =>
  schemas[schemaName(schema) ?? ''] ?? schema

/** The maximum depth of records in an example; deeper ones are elided. */
const maxNesting = 2

/** An example value of a schema: its own example if it has one, otherwise the simplest valid value. */
function exampleValue(schema: JsonSchema, schemas: Schemas = {}, nesting = 0): unknown {
  if (schema.examples) return schema.examples[0]
  if (schema.$ref !== undefined) {
    const target = resolved(schema, schemas)
    // A schema with an example is a large one, such as a graph.
    if (target === schema || target.examples || nesting === maxNesting) return elided
    return exampleValue(target, schemas, nesting + 1)
  }
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf?.[0]) return exampleValue(schema.anyOf[0], schemas, nesting)
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, property]) => [
        key,
        exampleValue(property, schemas, nesting),
      ]),
    )
  if (schema.type === 'array') return schema.items ? [exampleValue(schema.items, schemas, nesting)] : []
  if (schema.type === 'object') return {}
  return schema.minimum ?? scalars[schema.type ?? ''] ?? null
}

/** JSON for people: a value that fits stays on one line. `used` is the used width of the first line. */
function prettyJson(value: unknown, width = 54, indent = '', used = indent.length): string {
  const line = onOneLine(value)
  if (typeof value !== 'object' || value === null || used + line.length <= width) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const items = value.map(item => inner + prettyJson(item, width, inner))
    return `[\n${items.join(',\n')}\n${indent}]`
  }
  const members = Object.entries(value).map(([key, member]) => {
    const start = `${inner}${JSON.stringify(key)}: `
    return start + prettyJson(member, width, inner, start.length)
  })
  return `{\n${members.join(',\n')}\n${indent}}`
}

function onOneLine(value: unknown): string {
  if (value === elided) return '{ … }'
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${onOneLine(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** The type of a field; a named schema links to its own table. */
function typeText(schema: JsonSchema): Html {
  const name = schemaName(schema)
  if (name !== undefined) return html`<a href="#schema.${name}">${name}</a>`
  if (schema.type === 'array') return html`array of ${schema.items ? typeText(schema.items) : 'anything'}`
  if (schema.anyOf) return html`${joined(schema.anyOf.map(typeText), ' or ')}`
  if (schema.type) return html`${schema.type}`
  if (schema.enum) return html`${[...new Set(schema.enum.map(value => typeof value))].join(' or ')}`
  return html`anything`
}

const joined = (parts: Html[], between: string): HtmlPart[] =>
  parts.flatMap((part, at) => (at === 0 ? [part] : [between, part]))

const number = (value: number): string =>
  value === Number.MAX_SAFE_INTEGER ? '2⁵³ − 1' : value.toLocaleString('en-US')

function span(from: number | undefined, to: number | undefined, unit: string): string | undefined {
  const suffix = unit === '' ? '' : ` ${unit}`
  if (from !== undefined && to !== undefined) return `${number(from)} to ${number(to)}${suffix}`
  if (from !== undefined) return `at least ${number(from)}${suffix}`
  if (to !== undefined) return `at most ${number(to)}${suffix}`
  return undefined
}

const coded = (values: unknown[]): HtmlPart[] =>
  joined(
    values.map(value => html`<code>${JSON.stringify(value)}</code>`),
    ', ',
  )

/** Range, length, allowed values and default. */
function constraintText(schema: JsonSchema): Html | undefined {
  const parts: Html[] = []
  const ranges = [
    span(schema.minimum, schema.maximum, ''),
    span(schema.minLength, schema.maxLength, 'characters'),
    span(schema.minItems, schema.maxItems, 'items'),
  ]
  for (const range of ranges) if (range) parts.push(html`${range}`)
  if (schema.enum) parts.push(html`${coded(schema.enum)}`)
  if (schema.const !== undefined) parts.push(html`always ${coded([schema.const])}`)
  if (schema.pattern) parts.push(html`<a href="#ids">id</a>`)
  if (schema.default !== undefined) parts.push(html`default ${coded([schema.default])}`)
  return parts.length > 0 ? html`${joined(parts, '; ')}` : undefined
}

interface Field {
  name: string
  schema: JsonSchema
  required: boolean
  depth: number
  description?: string | undefined
}

function fieldsOf(schema: JsonSchema, depth = 0): Field[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    { name, schema: property, required: schema.required?.includes(name) ?? false, depth },
    ...fieldsOf(property, depth + 1),
  ])
  return schema.items ? [...fields, ...fieldsOf(schema.items, depth)] : fields
}

function row({ name, schema, required, depth, description = schema.description }: Field): Html {
  const range = constraintText(schema)
  return html`<tr${depth > 0 && html` class="d${Math.min(depth, 4)}"`}><th scope="row"><code>${name}</code>${
    required && html`<i>required</i>`
  }</th><td>${typeText(schema)}${range && html`<small>${range}</small>`}</td><td>${
    description && prose(description)
  }</td></tr>`
}

/** A table of fields; `marksRequired` is false for responses, where it would be noise. */
function fieldTable(caption: string, fields: readonly Field[], marksRequired = true): Html {
  const shown = marksRequired ? fields : fields.map(field => ({ ...field, required: false }))
  return html`<table class="fields"><caption>${caption}</caption><thead><tr><th scope="col">Name</th><th scope="col">Type and constraints</th><th scope="col">Description</th></tr></thead><tbody>${shown.map(row)}</tbody></table>`
}

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
  html`<figure><figcaption>${label}</figcaption><pre tabindex="0" aria-label="${label}"><code>${plainText(text)}</code></pre></figure>`

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
  const schema = operation.responses['200']?.content?.['application/json']?.schema
  if (schema?.$ref !== undefined) return { forms: [schema], place: '' }
  const { code, msg, data, ...flat } = schema?.properties ?? {}
  if (data) return { forms: data.anyOf ?? [data], place: ', in data' }
  return { forms: code && msg ? [{ properties: flat }] : [], place: '' }
}

/** A named schema has its own table. */
function responseTables(operation: PathOperation): Html[] {
  const { forms, place } = responseFields(operation)
  return forms.flatMap((form, at) => {
    const fields = fieldsOf(form)
    const caption = `${at === 0 ? 'Response' : 'Or'}${place}`
    if (form.$ref !== undefined) return [html`<p>${caption}: ${typeText(form)}</p>`]
    return fields.length > 0 ? [fieldTable(caption, fields, false)] : []
  })
}

function examples(operation: PathOperation, schemas: Schemas): Html[] {
  const bodies = Object.entries(operation.requestBody?.content ?? {})
  const request = (body?: [string, MediaType]): Html => {
    const label = bodies.length > 1 && body ? `Request, ${body[0]}` : 'Request'
    return code(label, curlCommand(operation, body))
  }
  const answer = operation.responses['200']?.content?.['application/json']?.schema
  return [
    ...(bodies.length > 0 ? bodies.map(request) : [request()]),
    ...(answer && resolved(answer, schemas).properties
      ? [code('Response', prettyJson(exampleValue(answer, schemas)))]
      : []),
  ]
}

/** One operation: description and fields on the left, examples on the right. */
function referenceOperation(operation: PathOperation, schemas: Schemas): Html {
  const { operationId: id, method, path, summary, description } = operation
  const body = operation.requestBody?.content['application/json']?.schema
  const bodyFields = body ? fieldsOf(body) : []
  return html`<article id="${id}" aria-labelledby="${id}.title"><header><h3 id="${id}.title"><a href="#${id}">${summary}</a></h3><p class="route"><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code> <span>${operation['x-access']}</span></p></header><div class="text">${description
    .split('\n\n')
    .map(paragraph => html`<p>${prose(paragraph)}</p>`)}${parameterTables(operation)}${
    bodyFields.length > 0 && fieldTable('JSON body', bodyFields)
  }${responseTables(operation)}</div><div class="examples">${examples(operation, schemas)}</div></article>`
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

const familySection = (family: Family, schemas: Schemas): Html =>
  html`<section aria-labelledby="${family.name}"><h2 id="${family.name}">${family.name}</h2><p class="lead">${prose(family.description)}</p>${family.operations.map(operation => referenceOperation(operation, schemas))}</section>`

const schemasSection = (schemas: Record<string, JsonSchema>): Html =>
  html`<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>${Object.entries(schemas).map(
    ([name, schema]) =>
      html`<article id="schema.${name}" aria-labelledby="schema.${name}.title"><header><h3 id="schema.${name}.title"><a href="#schema.${name}">${name}</a></h3></header><div class="text">${
        schema.description && html`<p>${prose(schema.description)}</p>`
      }${schema.anyOf ? html`<p>${typeText(schema)}</p>` : fieldTable('Fields', fieldsOf(schema))}</div><div class="examples">${
        schema.examples && code('Example', prettyJson(schema.examples[0]))
      }</div></article>`,
  )}</section>`

/** The API reference, generated from the OpenAPI document. It works offline and without scripts. */
export function* docsPage(document: OpenapiDocument): Pausable<string> {
  const { schemas } = document.components
  const families = familiesOf(document)
  const { title, version, description } = document.info
  const sections: Html[] = []
  for (const family of families) {
    sections.push(familySection(family, schemas))
    yield
  }
  const body = html`<a class="skip" href="#main">Skip to the content</a>
${sidebar(families, schemas)}
<main id="main"><header class="top"><h1>${title} API reference</h1><p class="lead">${description} Version ${version}, generated from the <a href="/openapi.json">OpenAPI document</a>.</p></header>
${basicsSection}
${sections}
${schemasSection(schemas)}
${errorsSection}
</main>`
  return pageFrame({ title: `${title} API reference`, description, style: styleSheet('docs.css'), body })
}
