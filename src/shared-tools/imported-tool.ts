import type { Static } from 'typebox'
import type { importedTool } from '../contract/tool-operations.ts'

/** An HTTP tool that was read from a curl command or an OpenAPI document, not stored yet. */
export type ImportedTool = Static<typeof importedTool>

/** A credential that a tool needs; with its value if the command held it, for the caller to store. */
export interface NeededSecret {
  name: string
  value: string
}

export interface ImportedTools {
  tools: ImportedTool[]
  secrets: NeededSecret[]
  /** Parts that could not be imported, besides the notes of the tools. */
  notes: string[]
}

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

export const formType = 'application/x-www-form-urlencoded'

/** A name that every model provider accepts. */
export const toolName = (text: string): string =>
  text
    .slice(0, 200)
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^[_-]+|[_-]+$/g, '')
    .slice(0, 64) || 'tool'

/** A name of a secret: letters, digits, _ and -, starting with a letter. */
export const secretName = (text: string): string =>
  toolName(text.toLowerCase()).replace(/^[^a-z]+/, '') || 'api_key'

export const referenceTo = (name: string): string => `{{#secret.${name}#}}`

/** Keeps reference marks in a text from being read as a template. */
export const plainText = (text: string): string => text.replaceAll('{{#', '{{ #')
