import { actionCard } from './action-card.ts'
import { classifierCard } from './classifier-card.ts'
import { codeCard } from './code-card.ts'
import { conditionCard } from './condition-card.ts'
import { endCard } from './end-card.ts'
import { extractorCard } from './extractor-card.ts'
import { httpRequestCard } from './http-request-card.ts'
import { inputCard } from './input-card.ts'
import { iterationCard } from './iteration-card.ts'
import type { KindCard } from './kind-card.ts'
import { knowledgeRetrievalCard } from './knowledge-retrieval-card.ts'
import { llmCard } from './llm-card.ts'
import { mcpCard } from './mcp-card.ts'
import { outputCard } from './output-card.ts'
import { questionCard } from './question-card.ts'
import { templateCard } from './template-card.ts'
import { variableCard } from './variable-card.ts'
import { webSearchCard } from './web-search-card.ts'
import { workflowCard } from './workflow-card.ts'

/** By the name of the kind, in the order in which a palette lists them. */
export const kindCards: Readonly<Record<string, KindCard>> = {
  input: inputCard,
  output: outputCard,
  question: questionCard,
  multimodal_dialogue_and_information_extractor: extractorCard,
  action: actionCard,
  end: endCard,
  llm: llmCard,
  classifier: classifierCard,
  condition: conditionCard,
  iteration: iterationCard,
  workflow: workflowCard,
  variable: variableCard,
  knowledge_retrieval: knowledgeRetrievalCard,
  template: templateCard,
  code: codeCard,
  http_request: httpRequestCard,
  web_search: webSearchCard,
  mcp: mcpCard,
}
