import { ErrorCode, McpError, type Resource, type ResourceTemplate } from '@modelcontextprotocol/sdk/types.js'
import type { TokenRecord } from '../../access/access-store.ts'
import { isAllowed } from '../../access/permissions.ts'
import { kindOperations } from '../../contract/kind-operations.ts'
import { knowledgeOperations } from '../../contract/knowledge-operations.ts'
import { limits } from '../../contract/limits.ts'
import { everyItem, type Page } from '../../contract/paging.ts'
import type { InternalCall } from './internal-call.ts'

const kindsUri = 'banyan://kinds'
const documentUri = /^banyan:\/\/knowledge\/([^/]+)\/documents\/([^/]+)$/
const pageSize = 100

interface ListedBase {
  knowledge_id: string
  document_count: number
}

interface ListedDocument {
  file_id: string
  name: string
}

export const resourceNotFound = -32002

export const resourceTemplates: ResourceTemplate[] = [
  {
    name: 'document',
    uriTemplate: 'banyan://knowledge/{knowledge_id}/documents/{file_id}',
    title: 'Document of a knowledge base',
    description: 'The text of a document, as search finds it.',
    mimeType: 'text/plain',
  },
]

/** Documents and the kinds of nodes. A token that may not read has none. */
export async function listResources(call: InternalCall, token: TokenRecord): Promise<Resource[]> {
  if (!isAllowed(token, 'read')) return []
  const kinds = { uri: kindsUri, name: 'kinds', title: 'Kinds of nodes', mimeType: 'application/json' }
  const resources: Resource[] = [kinds]
  for await (const document of documents(call)) {
    if (resources.length > limits.mcpResources) break
    resources.push(document)
  }
  return resources
}

async function* documents(call: InternalCall): AsyncGenerator<Resource> {
  const bases = everyItem(async ({ pageSize: page_size, cursor }) =>
    pageOf<ListedBase>(await call(knowledgeOperations.list, { body: { page_size, cursor } })),
  )
  let read = 0
  for await (const { knowledge_id, document_count } of bases) {
    // A workspace may have any number of bases without documents.
    if (++read > limits.mcpResources) return
    if (document_count === 0) continue
    const listed = everyItem(async ({ pageSize, cursor }) => {
      const query = { page_size: String(pageSize), ...(cursor !== undefined && { cursor }) }
      return pageOf<ListedDocument>(
        await call(knowledgeOperations.files, { params: { knowledge_id }, query }),
      )
    })
    for await (const { file_id, name } of listed)
      yield {
        uri: `banyan://knowledge/${knowledge_id}/documents/${file_id}`,
        name,
        mimeType: 'text/plain',
      }
  }
}

const pageOf = <Item>({ total, items, next_cursor }: Record<string, unknown>): Page<Item> => ({
  total: total as number,
  items: items as Item[],
  ...(next_cursor !== null && { nextCursor: next_cursor as string }),
})

export async function readResource(call: InternalCall, uri: string) {
  if (uri === kindsUri) {
    const text = JSON.stringify(await call(kindOperations.kinds))
    return { contents: [{ uri, mimeType: 'application/json', text }] }
  }
  const [, knowledgeId, fileId] = documentUri.exec(uri) ?? []
  if (!knowledgeId || !fileId) throw new McpError(resourceNotFound, `There is no resource ${uri}`)
  return { contents: [{ uri, mimeType: 'text/plain', text: await documentText(call, knowledgeId, fileId) }] }
}

async function documentText(call: InternalCall, knowledgeId: string, fileId: string): Promise<string> {
  const params = { knowledge_id: knowledgeId, file_id: fileId }
  let text = ''
  for (let page = 1; text.length < limits.mcpResourceLength; page++) {
    const query = { page: String(page), page_size: String(pageSize) }
    const { items, total } = await call(knowledgeOperations.chunks, { params, query })
    for (const { content } of items as { content: string }[]) text += `${text === '' ? '' : '\n'}${content}`
    if ((items as unknown[]).length === 0 || page * pageSize >= Number(total)) return text
  }
  throw new McpError(
    ErrorCode.InvalidParams,
    `The document is longer than ${limits.mcpResourceLength} characters; use search_knowledge.`,
  )
}
