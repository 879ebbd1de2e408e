import type { NodeKind } from '../workflow/node-kind.ts'
import { action } from './action.ts'
import { classifier } from './classifier.ts'
import { code } from './code.ts'
import { condition } from './condition.ts'
import { end } from './end.ts'
import { httpRequest } from './http-request.ts'
import { input } from './input.ts'
import { iteration } from './iteration.ts'
import { knowledgeRetrieval } from './knowledge-retrieval.ts'
import { llm } from './llm.ts'
import { mcp } from './mcp.ts'
import { multimodalDialogueAndInformationExtractor } from './multimodal-dialogue-and-information-extractor.ts'
import type { NodeServices } from './node-services.ts'
import { output } from './output.ts'
import { question } from './question.ts'
import { template } from './template.ts'
import { variable } from './variable.ts'
import { webSearch } from './web-search.ts'
import { workflow } from './workflow.ts'

const kinds: readonly NodeKind<NodeServices>[] = [
  input,
  llm,
  output,
  webSearch,
  end,
  multimodalDialogueAndInformationExtractor,
  knowledgeRetrieval,
  condition,
  classifier,
  template,
  httpRequest,
  variable,
  iteration,
  workflow,
  question,
  action,
  code,
  mcp,
]

/** Every kind of node this server knows. */
export const nodeKinds: ReadonlyMap<string, NodeKind<NodeServices>> = new Map(
  kinds.map(kind => [kind.kind, kind]),
)
