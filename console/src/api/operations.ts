import type { Static, TSchema } from 'typebox'
import type { tokenOperations, workspaceOperations } from '../../../src/contract/access-operations.ts'
import type { agentOperations } from '../../../src/contract/agent-operations.ts'
import type { annotationOperations } from '../../../src/contract/annotation-operations.ts'
import type { auditOperations } from '../../../src/contract/audit-operations.ts'
import type { conversationOperations } from '../../../src/contract/conversation-operations.ts'
import type { fileOperations } from '../../../src/contract/file-operations.ts'
import type { goldenOperations } from '../../../src/contract/golden-operations.ts'
import type { kindOperations } from '../../../src/contract/kind-operations.ts'
import type { knowledgeOperations } from '../../../src/contract/knowledge-operations.ts'
import type { layoutOperations } from '../../../src/contract/layout-operations.ts'
import type { modelOperations } from '../../../src/contract/model-operations.ts'
import type { presenceOperations } from '../../../src/contract/presence-operations.ts'
import type { runOperations } from '../../../src/contract/run-operations.ts'
import type { secretOperations } from '../../../src/contract/secret-operations.ts'
import type { serverOperations } from '../../../src/contract/server-operations.ts'
import type { testOperations } from '../../../src/contract/test-operations.ts'
import type { toolOperations } from '../../../src/contract/tool-operations.ts'
import type { triggerOperations } from '../../../src/contract/trigger-operations.ts'
import type { usageOperations } from '../../../src/contract/usage-operations.ts'
import type { webPageOperations } from '../../../src/contract/web-page-operations.ts'
import type { workflowOperations } from '../../../src/contract/workflow-operations.ts'

// Only the types of the contract reach the browser: its schemas would double the initial bundle.
type Of<Family> = Family[keyof Family]
type Any =
  | Of<typeof agentOperations>
  | Of<typeof annotationOperations>
  | Of<typeof auditOperations>
  | Of<typeof conversationOperations>
  | Of<typeof fileOperations>
  | Of<typeof goldenOperations>
  | Of<typeof kindOperations>
  | Of<typeof knowledgeOperations>
  | Of<typeof layoutOperations>
  | Of<typeof modelOperations>
  | Of<typeof presenceOperations>
  | Of<typeof runOperations>
  | Of<typeof secretOperations>
  | Of<typeof serverOperations>
  | Of<typeof testOperations>
  | Of<typeof tokenOperations>
  | Of<typeof toolOperations>
  | Of<typeof triggerOperations>
  | Of<typeof usageOperations>
  | Of<typeof webPageOperations>
  | Of<typeof workflowOperations>
  | Of<typeof workspaceOperations>
type Key<Op> = Op extends { method: infer Method extends string; path: infer Path extends string }
  ? `${Method} ${Path}`
  : never

/** API operations are named by method and path, such as `'GET /api/v1/workflow'`. */
export type OperationKey = Key<Any>

type Named<Op, Name extends OperationKey> = Op extends unknown ? (Key<Op> extends Name ? Op : never) : never
// Tables by name, so that TypeScript resolves each entry once and never the union of all.
type Table = { [Name in OperationKey]: Named<Any, Name> }

type Part<Op, Name extends string> =
  Op extends Record<Name, infer Schema extends TSchema>
    ? { [Key in Name]: Static<Schema> }
    : { [Key in Name]?: never }
type Input<Op> = Part<Op, 'params'> &
  Part<Op, 'query'> &
  Part<Op, 'body'> & { headers?: Record<string, string>; signal?: AbortSignal }
type Inputs = { [Name in OperationKey]: Input<Table[Name]> }

/** The input of a call: exactly the parts that its operation declares. */
export type CallInput<Name extends OperationKey> = Inputs[Name]

type Data = {
  [Name in OperationKey]: Table[Name] extends { data: infer Schema extends TSchema }
    ? Static<Schema>
    : unknown
}
export type CallData<Name extends OperationKey> = Data[Name]

/** One item of an operation that returns a page. */
export type ItemOf<Name extends OperationKey> = Data[Name] extends { items: (infer Item)[] } ? Item : never
