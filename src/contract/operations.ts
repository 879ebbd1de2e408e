import { tokenOperations, workspaceOperations } from './access-operations.ts'
import { agentOperations } from './agent-operations.ts'
import { annotationOperations } from './annotation-operations.ts'
import { auditOperations } from './audit-operations.ts'
import { conversationOperations } from './conversation-operations.ts'
import { fileOperations } from './file-operations.ts'
import { goldenOperations } from './golden-operations.ts'
import { kindOperations } from './kind-operations.ts'
import { knowledgeOperations } from './knowledge-operations.ts'
import { layoutOperations } from './layout-operations.ts'
import { mcpOperations } from './mcp-operations.ts'
import { modelOperations } from './model-operations.ts'
import { openaiOperations } from './openai-operations.ts'
import type { Operation } from './operation.ts'
import { presenceOperations } from './presence-operations.ts'
import { runOperations } from './run-operations.ts'
import { secretOperations } from './secret-operations.ts'
import { serverOperations } from './server-operations.ts'
import { testOperations } from './test-operations.ts'
import { toolOperations } from './tool-operations.ts'
import { triggerOperations } from './trigger-operations.ts'
import { usageOperations } from './usage-operations.ts'
import { webPageOperations } from './web-page-operations.ts'
import { workflowOperations } from './workflow-operations.ts'

/** The whole API. A route that is not in this list cannot be registered. */
export const operations: readonly Operation[] = [
  ...Object.values(workflowOperations),
  ...Object.values(kindOperations),
  ...Object.values(layoutOperations),
  ...Object.values(runOperations),
  ...Object.values(agentOperations),
  ...Object.values(conversationOperations),
  ...Object.values(annotationOperations),
  ...Object.values(knowledgeOperations),
  ...Object.values(goldenOperations),
  ...Object.values(webPageOperations),
  ...Object.values(fileOperations),
  ...Object.values(mcpOperations),
  ...Object.values(toolOperations),
  ...Object.values(modelOperations),
  ...Object.values(secretOperations),
  ...Object.values(triggerOperations),
  ...Object.values(testOperations),
  ...Object.values(usageOperations),
  ...Object.values(tokenOperations),
  ...Object.values(workspaceOperations),
  ...Object.values(openaiOperations),
  ...Object.values(presenceOperations),
  ...Object.values(auditOperations),
  ...Object.values(serverOperations),
]
