import { accessOperations } from './access-operations.ts'
import { fileOperations } from './file-operations.ts'
import { knowledgeOperations } from './knowledge-operations.ts'
import type { Operation } from './operation.ts'
import { serverOperations } from './server-operations.ts'
import { workflowOperations } from './workflow-operations.ts'

/** The whole interface. A route that is not in this list cannot be registered. */
export const operations: readonly Operation[] = [
  ...Object.values(workflowOperations),
  ...Object.values(knowledgeOperations),
  ...Object.values(fileOperations),
  ...Object.values(accessOperations),
  ...Object.values(serverOperations),
]
