import { action } from './action.ts'
import { agent } from './agent.ts'
import { aggregator } from './aggregator.ts'
import { classifier } from './classifier.ts'
import { code } from './code.ts'
import { condition } from './condition.ts'
import { documentExtractor } from './document-extractor.ts'
import { end } from './end.ts'
import { httpRequest } from './http-request.ts'
import { input } from './input.ts'
import { iteration } from './iteration.ts'
import type { KindDefinition } from './kind-definition.ts'
import { knowledgeRetrieval } from './knowledge-retrieval.ts'
import { list } from './list.ts'
import { llm } from './llm.ts'
import { loop } from './loop.ts'
import { mcp } from './mcp.ts'
import { multimodalDialogueAndInformationExtractor } from './multimodal-dialogue-and-information-extractor.ts'
import { output } from './output.ts'
import { question } from './question.ts'
import { template } from './template.ts'
import { unmapped } from './unmapped.ts'
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
  agent,
  classifier,
  condition,
  aggregator,
  iteration,
  loop,
  workflow,
  variable,
  knowledgeRetrieval,
  documentExtractor,
  template,
  list,
  code,
  httpRequest,
  webSearch,
  mcp,
  unmapped,
]

export const nodeKinds: ReadonlyMap<string, KindDefinition> = new Map(
  kindDefinitions.map(kind => [kind.kind, kind]),
)
