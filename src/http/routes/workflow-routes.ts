import type { TokenRecord } from '../../access/access-store.ts'
import { isAllowed } from '../../access/permissions.ts'
import type { QuotaService } from '../../access/quota-service.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import { workflowOperations as operations } from '../../contract/workflow-operations.ts'
import { versionEntry, workflowEntry } from '../../contract/workflow-records.ts'
import type { Imported, ImportService } from '../../import/import-service.ts'
import { checkDocument, documentMembers } from '../../import/portable-document.ts'
import { AppError, invalidField, refuseBlank } from '../../kernel/app-error.ts'
import { isoTime } from '../../kernel/clock.ts'
import { CommitCache, type Generation } from '../../kernel/commit-cache.ts'
import { atOnce, inSlices } from '../../kernel/slices.ts'
import { hideCredentials } from '../../workflow/credentials.ts'
import type { SentGraph } from '../../workflow/graph-checker.ts'
import type { LayoutStore } from '../../workflow/layout-store.ts'
import type { WorkflowService } from '../../workflow/workflow-service.ts'
import type { StoredWorkflow } from '../../workflow/workflow-store.ts'
import { Answer, jsonHeaders, jsonType, successAround } from '../answer.ts'
import { conditionalAnswer, expectedState, revalidated, workflowTag } from '../content-headers.ts'
import { maxImmediateBytes, type RawResponse, rawResponse } from '../immediate-responses.ts'
import { type Call, type Route, route } from '../route.ts'
import { wireWriter } from '../wire.ts'

type Members = Call['members']

const workflowOnWire = wireWriter(workflowEntry)
const versionOnWire = wireWriter(versionEntry, { runnable: 'isRunnable' })
const publishedOnWire = wireWriter(operations.publish.data.properties)
const responseCacheBytes = 16 << 20

/** The graph in a member of the body, with its exact text. */
function graphMember(value: unknown, members: Members, name: string, pointer = `/${name}`): SentGraph {
  const member = members.get(name)
  if (!member) throw invalidField(pointer, 'is required')
  return { value, text: member.text, depth: member.depth, pointer }
}

/** A graph whose nodes and edges are at the top level of the body. */
function topLevelGraph(body: { nodes?: unknown; edges?: unknown }, members: Members): SentGraph {
  const nodes = members.get('nodes')
  const edges = members.get('edges')
  if (!nodes || !edges) throw invalidField(nodes ? '/edges' : '/nodes', 'is required, here or in /workflow')
  return {
    value: { nodes: body.nodes, edges: body.edges },
    text: `{"nodes":${nodes.text},"edges":${edges.text}}`,
    depth: Math.max(nodes.depth, edges.depth) + 1,
    pointer: '',
  }
}

const times = (workflow: { createdAt: number; updatedAt: number }): string =>
  `"created_at":"${isoTime(workflow.createdAt)}","updated_at":"${isoTime(workflow.updatedAt)}"`

const timeOrNull = (time: number | undefined): string => (time === undefined ? 'null' : `"${isoTime(time)}"`)

interface ReadGraph {
  graph: Uint8Array
  hasCredentials: boolean
}

/** Without write access, literal credentials are hidden. */
const isMaskedFor = (token: TokenRecord, { hasCredentials }: ReadGraph): boolean =>
  hasCredentials && !isAllowed(token, 'write')

const masking = ({ graph }: ReadGraph) => hideCredentials(graph, { by: 'mask' })

const graphFor = async (token: TokenRecord, read: ReadGraph): Promise<Uint8Array> =>
  isMaskedFor(token, read) ? inSlices(masking(read)) : read.graph

interface CachedResponse {
  headers: Record<string, string> & { etag: string }
  hasCredentials: boolean
  /** The body, or the whole response if it is small. */
  content: Buffer | RawResponse
}

const bodyOf = ({ content }: CachedResponse): Buffer =>
  'body' in content ? Buffer.from(content.body, 'latin1') : content

const keyOf = ({ workspaceId }: TokenRecord, id: string): string => `${workspaceId} ${id}`
const masked = (key: string): string => `${key} masked`
/** The masked response has its own tag, because the same state of the workflow reads differently with write access. */
const maskedTag = (tag: string): string => `${tag.slice(0, -1)}-masked"`

export function workflowRoutes(
  workflows: WorkflowService,
  imports: ImportService,
  layouts: LayoutStore,
  quotas: Pick<QuotaService, 'within'>,
  generation: Generation,
): Route[] {
  const stored = <Result>(token: TokenRecord, work: () => Promise<Result>): Promise<Result> =>
    quotas.within(token, ['storageBytes'], work)

  /** Reading a workflow is the most frequent request; the cache is invalidated on commit. */
  const answers = new CommitCache<CachedResponse>(generation, responseCacheBytes)

  /** The masked response has its own entry; that of other graphs is the same for all tokens. */
  const cached = (token: TokenRecord, id: string): CachedResponse | undefined => {
    const key = keyOf(token, id)
    const known = answers.get(key)
    if (known && !known.hasCredentials) return known
    return isAllowed(token, 'write') ? known : answers.get(masked(key))
  }

  const responseTo = (
    token: TokenRecord,
    workflow: StoredWorkflow,
    graph: Uint8Array,
    readIn: number | undefined,
  ): CachedResponse => {
    const { hasCredentials } = workflow
    const key = keyOf(token, workflow.id)
    const isMasked = isMaskedFor(token, workflow)
    const tag = workflowTag(token.workspaceId, workflow)
    const before = `{"exist":true,"workflow":{"id":"${workflow.id}","config":`
    const { name, version, publishedVersion = null, publishedAt } = workflow
    const published = `"published_version":${publishedVersion},"published_at":${timeOrNull(publishedAt)}`
    const after = `,${times(workflow)},"version":${version},"name":${JSON.stringify(name)},${published}}}`
    const headers = { etag: isMasked ? maskedTag(tag) : tag, ...revalidated, 'content-type': jsonType }
    const body = successAround(before, graph, after)
    const content = body.length > maxImmediateBytes ? body : rawResponse(headers, body)
    const response = { headers, hasCredentials, content }
    answers.set(isMasked ? masked(key) : key, response, body.length, readIn)
    return response
  }

  const read = async (token: TokenRecord, id: string): Promise<CachedResponse | undefined> => {
    const known = cached(token, id)
    if (known) return known
    const readIn = answers.generation()
    const workflow = await workflows.store.find(token.workspaceId, id)
    return workflow && responseTo(token, workflow, await graphFor(token, workflow), readIn)
  }

  const readNow = (token: TokenRecord, id: string): CachedResponse | undefined => {
    const readIn = answers.generation()
    const workflow = workflows.store.findNow(token.workspaceId, id, maxImmediateBytes)
    if (!workflow) return undefined
    const graph = isMaskedFor(token, workflow) ? atOnce(masking(workflow)) : workflow.graph
    return responseTo(token, workflow, graph, readIn)
  }

  return [
    route(
      operations.get,
      async ({ token, query, request }) => {
        const response = await read(token, query.id)
        return response ? conditionalAnswer(request, response.headers, bodyOf(response)) : { exist: false }
      },
      (token, query) => {
        // Queries with other characters may be encoded, and are left to the framework.
        if (!/^id=[\w-]+$/.test(query)) return undefined
        const id = query.slice(3)
        const response = cached(token, id) ?? readNow(token, id)
        return response && 'body' in response.content ? response.content : undefined
      },
    ),

    route(operations.update, ({ token, workspaceId, body, members, request }) => {
      refuseBlank(body.name || undefined)
      return stored(token, () =>
        workflows.save(workspaceId, {
          id: body.id,
          name: body.name,
          graph: graphMember(body.workflow, members, 'workflow'),
          expected: expectedState(request.headers, workspaceId),
          author: token.name,
          isAutosave: body.autosave,
        }),
      )
    }),

    route(operations.create, ({ token, workspaceId, body, members }) => {
      refuseBlank(body.name || undefined)
      const graph =
        body.workflow !== undefined
          ? graphMember(body.workflow, members, 'workflow')
          : topLevelGraph(body, members)
      return stored(token, () =>
        workflows.create(workspaceId, { name: body.name, graph, author: token.name }),
      )
    }),

    route(operations.list, ({ workspaceId, body }) => {
      const { keyword = '', published: isPublished } = body
      const list = (page: PageRequest) => workflows.store.list(workspaceId, keyword, page, { isPublished })
      return pageAnswer(body, list, workflowOnWire)
    }),

    route(operations.delete, ({ workspaceId, body }) => workflows.remove(workspaceId, body.id)),

    route(operations.check, async ({ workspaceId, body, members }) => {
      const { outline } = body
      if (body.workflow !== undefined)
        return workflows.check(workspaceId, graphMember(body.workflow, members, 'workflow'), outline)
      if (body.id === undefined) throw invalidField('/id', 'is required, unless /workflow is given')
      return workflows.checkStored(workspaceId, body.id, outline)
    }),

    route(operations.versions, ({ workspaceId, query }) =>
      pageAnswer(query, page => workflows.versions(workspaceId, query.id, page), versionOnWire),
    ),

    route(operations.version, async ({ token, workspaceId, query }) => {
      const stored = await workflows.version(workspaceId, query.id, query.version)
      const graph = await graphFor(token, stored)
      const after = `,${JSON.stringify(versionOnWire(stored)).slice(1)}`
      return new Answer(200, jsonHeaders, successAround(`{"id":"${query.id}","config":`, graph, after))
    }),

    route(operations.rollback, ({ token, workspaceId, body, request }) => {
      const expected = expectedState(request.headers, workspaceId)
      const rollback = { id: body.id, version: body.version, expected, author: token.name }
      return stored(token, () => workflows.rollback(workspaceId, rollback))
    }),

    route(operations.publish, async ({ workspaceId, body }) =>
      publishedOnWire(await workflows.publish(workspaceId, body)),
    ),

    route(operations.unpublish, ({ workspaceId, body }) => workflows.unpublish(workspaceId, body.id)),

    route(operations.usedBy, async ({ workspaceId, query }) => ({
      items: await workflows.usedBy(workspaceId, query.id),
    })),

    route(operations.note, ({ workspaceId, body }) =>
      workflows.setNote(workspaceId, body.id, body.version, body.note),
    ),

    route(operations.export, async ({ token, workspaceId, body }) => {
      const workflow = await workflows.get(workspaceId, body.id)
      const { graph: whole, hasCredentials } =
        body.version === undefined ? workflow : await workflows.version(workspaceId, body.id, body.version)
      const hidden = { by: 'reference', onlyCertain: isAllowed(token, 'write') } as const
      const graph = hasCredentials ? await inSlices(hideCredentials(whole, hidden)) : whole
      const before = '{"document":{"format":"banyan.workflow","format_version":1,"workflow":'
      // An old version is drawn with today's positions: they have no versions.
      const { positions, shapes } = await layouts.get(workspaceId, body.id)
      const layout = { positions: Object.fromEntries(positions), shapes: Object.fromEntries(shapes) }
      const after = `,"name":${JSON.stringify(workflow.name)},"layout":${JSON.stringify(layout)},"settings":{}}}`
      return new Answer(200, jsonHeaders, successAround(before, graph, after))
    }),

    route(operations.import, async ({ token, workspaceId, body, members }) => {
      const { content, format, id, name, knowledge } = body
      refuseBlank(name || undefined)
      const author = token.name
      if (content !== undefined)
        return stored(token, async () =>
          importedOnWire(
            await imports.importFile(workspaceId, { content, format, id, name, knowledge, author }),
          ),
        )
      if (body.document === undefined && body.workflow === undefined)
        throw new AppError(
          'invalid_request',
          'Send the text of a file in `content`, or a document in `document`',
          {
            errors: [{ path: '/document', message: 'is required, unless /content is given' }],
          },
        )
      const document =
        body.document === undefined
          ? checkDocument(body, members, '')
          : checkDocument(body.document, await documentMembers(members.get('document')!.text), '/document')
      return stored(token, async () =>
        importedOnWire(
          await imports.importDocument(workspaceId, { ...document, name: name ?? document.name, id, author }),
        ),
      )
    }),
  ]
}

const reportOnWire = wireWriter(operations.import.data.properties.report.items.properties)

const importedOnWire = ({ agentId, report, ...imported }: Imported) => ({
  ...imported,
  agent_id: agentId ?? null,
  report: report.map(line => reportOnWire(line)),
})
