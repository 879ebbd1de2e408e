import type { OpenapiDocument } from './openapi.ts'
import { banyanMark } from './pages/banyan-mark.ts'
import { docsStyle } from './pages/docs-style.ts'
import { fieldsOf, fieldTable } from './pages/field-table.ts'
import { type Html, html, prose } from './pages/html.ts'
import { type JsonSchema, operationsOf, type PathOperation, schemasOf } from './pages/openapi-parts.ts'
import { pageFrame } from './pages/page-frame.ts'
import { prettyJson } from './pages/pretty-json.ts'
import { basics, basicsSection } from './pages/reference-basics.ts'
import { errorsSection } from './pages/reference-errors.ts'
import { referenceOperation } from './pages/reference-operation.ts'

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

const familySection = (family: Family, schemas: Record<string, JsonSchema>): Html =>
  html`<section aria-labelledby="${family.name}"><h2 id="${family.name}">${family.name}</h2><p class="lead">${prose(family.description)}</p>${family.operations.map(
    operation => referenceOperation(operation, schemas),
  )}</section>`

const schemasSection = (schemas: Record<string, JsonSchema>): Html =>
  html`<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>${Object.entries(schemas).map(
    ([name, schema]) =>
      html`<article id="schema.${name}" aria-labelledby="schema.${name}.title"><header><h3 id="schema.${name}.title"><a href="#schema.${name}">${name}</a></h3></header><div class="told">${
        schema.description && html`<p>${prose(schema.description)}</p>`
      }${fieldTable('Fields', fieldsOf(schema))}</div><div class="shown">${
        schema.examples &&
        html`<figure><figcaption>Example</figcaption><pre tabindex="0" aria-label="Example"><code>${prettyJson(schema.examples[0])}</code></pre></figure>`
      }</div></article>`,
  )}</section>`

/** A readable reference, made of the same document that programs get. It works offline and without script. */
export function docsPage(document: OpenapiDocument): string {
  const schemas = schemasOf(document)
  const families = familiesOf(document)
  const { title, version, description } = document.info
  const body = html`<a class="skip" href="#main">Skip to the content</a>
${sidebar(families, schemas)}
<main id="main"><header class="top"><h1>${title} reference</h1><p class="lead">${description} Version ${version}, made from <a href="/openapi.json">the OpenAPI document</a> that this server also gives to programs.</p></header>
${basicsSection}
${families.map(family => familySection(family, schemas))}
${schemasSection(schemas)}
${errorsSection}
</main>`
  return pageFrame({ title: `${title} reference`, description, style: docsStyle, body })
}
