import { isOneCharacter } from '../../agents/avatar.ts'
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
export interface ConvertedAgent {
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
  for (const each of triggers) conversion.note(each, 'Create a trigger of the workflow in Triggers.')
  if (!first) return { title: 'Input' }
  conversion.report.add(first.id, { ...lineOf(first, 'input'), state: 'mapped' })
  const all = recordsAt(first.data, 'variables')
  const declared = all.filter(each => !isMessage(conversion, textAt(each, 'variable')))
  if (declared.length < all.length)
    conversion.note(first, 'The variable "query" is the message of a run here, and not part of its form.')
  const variables = inputVariables(declared, message => conversion.note(first, message))
  return { title: first.title, desc: textAt(first.data, 'desc'), ...variables }
}

/** Iterations and loops that contain each other have no beginning. */
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
  const message = isNote
    ? 'Notes on the canvas are left out.'
    : node.parentId === undefined
      ? 'It is not connected to the start and never runs, so it is left out.'
      : 'It is inside a node that is left out or not imported.'
  report.add(node.id, { ...lineOf(node, ''), kind: node.type || 'note', state: 'changed' }, message)
}

/** Names of models differ between installations, so the default model answers. */
function reportModels(conversion: Conversion): void {
  const names = [...conversion.models].filter(name => name !== '')
  if (names.length > 0)
    conversion.noteApp(
      `The default model is used in place of ${names.slice(0, 20).join(', ')}: choose another one in the nodes.`,
    )
}

/** Features of a conversation that have no counterpart. */
const lostFeatures: Readonly<Record<string, string>> = {
  speech_to_text: 'Speech input is a setting of the server here.',
  text_to_speech: 'Set "voice" of output nodes to send answers as speech.',
  suggested_questions_after_answer: 'Suggested questions after an answer are left out.',
  sensitive_word_avoidance: 'The filter of sensitive words is left out.',
  annotation_reply: 'Annotated replies are left out.',
  more_like_this: 'The button for similar answers is left out.',
}

function reportFeatures(conversion: Conversion, features: JsonRecord): void {
  for (const [name, message] of Object.entries(lostFeatures))
    if (flagAt(features, name, 'enabled')) conversion.noteApp(message)
  if (/\{\{[^{}]+\}\}/.test(textAt(features, 'opening_statement')))
    conversion.noteApp('Variables in the opening statement are not replaced: it is shown as it is written.')
  if (flagAt(features, 'file_upload', 'enabled'))
    conversion.noteApp(
      'The types and the number of files that users may send are not limited by the app here.',
    )
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
