import { type Html, html, prose } from './html.ts'
import type { JsonSchema } from './openapi-parts.ts'
import { rangeWords, typeWords } from './schema-words.ts'

export interface Field {
  name: string
  schema: JsonSchema
  required: boolean
  depth: number
  description?: string | undefined
}

/** The fields of an object and, one step further in, those of the objects in it. */
export function fieldsOf(schema: JsonSchema, depth = 0): Field[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    { name, schema: property, required: schema.required?.includes(name) ?? false, depth },
    ...fieldsOf(property, depth + 1),
  ])
  return schema.items ? [...fields, ...fieldsOf(schema.items, depth)] : fields
}

function row({ name, schema, required, depth, description = schema.description }: Field): Html {
  const range = rangeWords(schema)
  return html`<tr${depth > 0 && html` class="d${Math.min(depth, 4)}"`}><th scope="row"><code>${name}</code>${
    required && html`<i>required</i>`
  }</th><td>${typeWords(schema)}${range && html`<small>${range}</small>`}</td><td>${
    description && prose(description)
  }</td></tr>`
}

/** A table of fields; `marksRequired` is false for answers, where the word would only make noise. */
export function fieldTable(caption: string, fields: readonly Field[], marksRequired = true): Html {
  const shown = marksRequired ? fields : fields.map(field => ({ ...field, required: false }))
  return html`<table class="fields"><caption>${caption}</caption><thead><tr><th scope="col">Name</th><th scope="col">Type and range</th><th scope="col">Meaning</th></tr></thead><tbody>${shown.map(row)}</tbody></table>`
}
