import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { type ConfiguredModels, connectionOf, type ModelConnection } from './configured-models.ts'
import { failedModel } from './model-failure.ts'
import type { DraftModel, ModelDraft, ModelSettingsService } from './model-settings-service.ts'
import { askShortly, type ModelTest, testModel } from './test-model.ts'
import type { ModelConnectors, OfferedModel } from './workspace-models.ts'

export const environmentId = 'environment'

/** A model to be tested: the id of a stored one, or settings that are not saved, or both. */
type TestedModel = ModelDraft & { id?: string | undefined }

interface TesterParts {
  settings: ModelSettingsService
  models: ConfiguredModels
  connectors: ModelConnectors
  clock: Clock
}

/** Tries models out before they are saved. */
export class ModelTester {
  readonly #parts: TesterParts

  constructor(parts: TesterParts) {
    this.#parts = parts
  }

  async test(workspaceId: string, given: TestedModel): Promise<ModelTest> {
    const { models, clock } = this.#parts
    if (given.id === environmentId) {
      const { environment } = models
      if (!environment)
        throw new AppError(
          'not_found',
          'The server settings have no model; set MODEL_BASE_URL and MODEL_NAME',
        )
      const model = models.connectEnvironment(workspaceId, environment)
      return testModel(signal => askShortly(model, signal), clock)
    }
    const draft = await this.#draft(workspaceId, given)
    if (draft.settings.model === '') throw invalidField('/model', 'is required')
    return testModel(signal => this.#call(workspaceId, draft, signal), clock)
  }

  /** What the provider offers. */
  async discover(workspaceId: string, given: TestedModel): Promise<OfferedModel[]> {
    const { settings, secrets } = await this.#draft(workspaceId, given)
    const connection = { ...connectionOf(settings, secrets), name: settings.name || 'new model' }
    return this.#parts.connectors.discover(connection, { workspaceId }).catch(failedModel)
  }

  async #draft(workspaceId: string, { id, ...given }: TestedModel): Promise<DraftModel> {
    const { settings } = this.#parts
    const stored = id === undefined ? undefined : await settings.get(workspaceId, id)
    return settings.draft(workspaceId, given, stored)
  }

  async #call(workspaceId: string, { settings, secrets }: DraftModel, signal: AbortSignal): Promise<string> {
    if (settings.type === 'chat')
      return askShortly(await this.#parts.models.connectUnsaved(workspaceId, settings, secrets), signal)
    return this.#callOther(settings.type, connectionOf(settings, secrets), { workspaceId, signal })
  }

  async #callOther(
    type: Exclude<DraftModel['settings']['type'], 'chat'>,
    connection: ModelConnection,
    caller: { workspaceId: string; signal: AbortSignal },
  ): Promise<string> {
    const { connectors } = this.#parts
    if (type === 'embedding') {
      const { query } = await connectors.embedding(connection)
      const [vector] = await query.embed(connection.model, ['ready'], caller)
      return `${vector!.length} dimensions`
    }
    if (type === 'rerank') {
      const reranker = await connectors.rerank(connection)
      const [best] = await reranker.rerank('tea', ['coffee', 'green tea'], caller)
      return `best of two: ${best!.index + 1}`
    }
    if (type === 'speech') {
      const synthesizer = await connectors.speech(connection)
      const { mimeType, bytes } = await synthesizer.synthesize('ready', caller)
      return `${bytes.length} bytes of ${mimeType}`
    }
    const transcriber = await connectors.transcription(connection)
    return `heard: ${await transcriber.transcribe(silentRecording(), caller)}`
  }
}

const sampleRate = 8000
const seconds = 0.5

/** A short WAV file without a sound, with which a transcription model can be tested. */
export function silentRecording(): { name: string; mimeType: string; bytes: Uint8Array } {
  const samples = sampleRate * seconds
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  // PCM, one channel, 8 bits per sample.
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples, 40)
  const silence = Buffer.alloc(samples, 0x80)
  return { name: 'silence.wav', mimeType: 'audio/wav', bytes: Buffer.concat([header, silence]) }
}
