import { isOneCharacter } from '../../agents/avatar.ts'
import type { ImportNoteCode } from '../../contract/import-notes.ts'
import { limits } from '../../contract/limits.ts'
import { unusableFile } from '../../kernel/app-error.ts'
import type { JsonRecord } from '../../workflow/json-record.ts'
import type { ReportLine } from '../report.ts'
import { type DifyNode, readApp } from './app.ts'
import { buildGraph } from './build-graph.ts'
import { Conversion, type ConversionOptions, type ConvertedWorkflow, lineOf } from './conversion.ts'
import { convertChat } from './convert-chat.ts'
import { convertNode } from './convert-node.ts'
import { inputVariables, isMessage } from './kinds/start.ts'
import { clipped, flagAt, recordAt, recordsAt, textAt, textsAt } from './read.ts'
import { Scope } from './scope.ts'

/** Settings of a chat agent that answers by the workflow. */
interface ConvertedAgent {
  readonly name: string
  readonly intro: string
  readonly config: JsonRecord
}

export interface ConvertedApp {
  readonly workflow: ConvertedWorkflow
  /** Workflows that it runs. */
  readonly children: readonly ConvertedWorkflow[]
  /** Undefined for an application without a conversation. */
  readonly agent: ConvertedAgent | undefined
  readonly report: readonly ReportLine[]
}

/** Turns an application of Dify into workflows and an agent. Fails if the file is not one. */
export function convertApp(file: unknown, id: string, options: ConversionOptions): ConvertedApp {
  const read = readApp(file)
  const app = { ...read, name: options.name ?? read.name }
  const conversion = new Conversion(app, options)
  refuseNesting(conversion)
  const isChat = app.mode === 'chat' || app.mode === 'agent-chat'
  const workflow = isChat ? convertChat(conversion, id) : convertWorkflow(conversion, id)
  const features = isChat ? app.modelConfig : recordAt(app.workflow, 'features')
  reportFeatures(conversion, features)
  reportModels(conversion)
  for (const each of app.nodes) reportLeftOut(conversion, each)
  return {
    workflow,
    children: conversion.children,
    agent: app.mode === 'workflow' ? undefined : agentOf(conversion, features, id),
    report: conversion.report.lines(),
  }
}

function convertWorkflow(conversion: Conversion, id: string): ConvertedWorkflow {
  const { app } = conversion
  const scope = new Scope(conversion)
  const [first] = app.nodes.filter(({ type, parentId }) => type === 'start' && parentId === undefined)
  return buildGraph(scope, { id, name: app.name, input: inputData(conversion, first) }, convertNode)
}

function inputData(conversion: Conversion, first: DifyNode | undefined): JsonRecord {
  const triggers = conversion.app.nodes.filter(({ type }) => type.startsWith('trigger-'))
  for (const each of triggers) conversion.note(each, 'create_trigger')
  if (!first) return { title: 'Input' }
  conversion.report.add(first.id, { ...lineOf(first, 'input'), state: 'mapped' })
  const all = recordsAt(first.data, 'variables')
  const declared = all.filter(each => !isMessage(conversion, textAt(each, 'variable')))
  if (declared.length < all.length) conversion.note(first, 'query_is_message')
  const variables = inputVariables(declared, (code, values) => conversion.note(first, code, values))
  return { title: first.title, desc: textAt(first.data, 'desc'), ...variables }
}

/** Refuses iterations and loops that contain each other. */
function refuseNesting({ app, nodes }: Conversion): void {
  for (const each of app.nodes) {
    const above = new Set<string>()
    for (let at: DifyNode | undefined = each; at; at = nodes.get(at.parentId ?? '')) {
      if (above.has(at.id)) throw unusableFile(`the node "${at.title.slice(0, 100)}" contains itself`)
      above.add(at.id)
    }
  }
}

function reportLeftOut(conversion: Conversion, node: DifyNode): void {
  const { report } = conversion
  if (report.has(node.id) || /^(iteration|loop)-start$/.test(node.type)) return
  const isNote = node.type === 'note' || node.type === ''
  const code = isNote ? 'note_left_out' : node.parentId === undefined ? 'unconnected' : 'inside_left_out'
  const line = { ...lineOf(node, ''), kind: node.type || 'note', state: 'changed' } as const
  report.add(node.id, line, { code, values: {} })
}

/** Reports that the default model is used, because names of models differ between installations. */
function reportModels(conversion: Conversion): void {
  const names = [...conversion.models].filter(name => name !== '')
  if (names.length > 0) conversion.noteApp('default_model', { models: names.slice(0, 20).join(', ') })
}

/** Features of a conversation that have no counterpart. */
const lostFeatures: Readonly<Record<string, ImportNoteCode>> = {
  speech_to_text: 'speech_input',
  text_to_speech: 'speech_output',
  suggested_questions_after_answer: 'follow_up_questions',
  sensitive_word_avoidance: 'sensitive_words',
  annotation_reply: 'annotated_replies',
  more_like_this: 'similar_answers',
}

function reportFeatures(conversion: Conversion, features: JsonRecord): void {
  for (const [name, code] of Object.entries(lostFeatures))
    if (flagAt(features, name, 'enabled')) conversion.noteApp(code)
  if (/\{\{[^{}]+\}\}/.test(textAt(features, 'opening_statement'))) conversion.noteApp('opening_variables')
  if (flagAt(features, 'file_upload', 'enabled')) conversion.noteApp('file_limits')
}

function agentOf({ app }: Conversion, features: JsonRecord, workflowId: string): ConvertedAgent {
  const prologue = clipped(textAt(features, 'opening_statement'), 4000)
  const questions = textsAt(features, 'suggested_questions').map(text => clipped(text, 500))
  return {
    name: clipped(app.name.trim(), limits.agentNameLength) || 'Dify',
    intro: clipped(app.description, limits.descriptionLength),
    config: {
      workflow_id: workflowId,
      ...(isOneCharacter(app.icon) && { avatar: { emoji: app.icon } }),
      ...(prologue !== '' && { prologue }),
      ...(questions.length > 0 && { recommendation_question: questions.slice(0, 20) }),
    },
  }
}
