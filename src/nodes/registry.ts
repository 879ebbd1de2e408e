import { action } from './action.ts'
import { classifier } from './classifier.ts'
import { code } from './code.ts'
import { condition } from './condition.ts'
import { end } from './end.ts'
import { httpRequest } from './http-request.ts'
import { input } from './input.ts'
import { iteration } from './iteration.ts'
import type { KindDefinition } from './kind-definition.ts'
import { knowledgeRetrieval } from './knowledge-retrieval.ts'
import { llm } from './llm.ts'
import { mcp } from './mcp.ts'
import { multimodalDialogueAndInformationExtractor } from './multimodal-dialogue-and-information-extractor.ts'
import { output } from './output.ts'
import { question } from './question.ts'
import { template } from './template.ts'
import { variable } from './variable.ts'
import { webSearch } from './web-search.ts'
import { workflow } from './workflow.ts'

/** Every kind of node, in the order of the palette. */
export const kindDefinitions: readonly KindDefinition[] = [
  input,
  output,
  question,
  multimodalDialogueAndInformationExtractor,
  action,
  end,
  llm,
  classifier,
  condition,
  iteration,
  workflow,
  variable,
  knowledgeRetrieval,
  template,
  code,
  httpRequest,
  webSearch,
  mcp,
]

export const nodeKinds: ReadonlyMap<string, KindDefinition> = new Map(
  kindDefinitions.map(kind => [kind.kind, kind]),
)
