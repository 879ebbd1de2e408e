import type { Config } from '../config/config.ts'
import type { TextRecogniser } from '../knowledge/ingest/recognition/medium.ts'
import { RecognitionService } from '../knowledge/ingest/recognition/recognition-service.ts'
import { visionRecogniser } from '../knowledge/ingest/recognition/vision-recogniser.ts'
import type { ConfiguredModels } from '../models/configured-models.ts'
import type { WorkspaceModels } from '../models/workspace-models.ts'
import type { Adapters } from './adapters.ts'

/** The default model of a workspace costs the workspace money, so it is the last choice. */
export function openRecognition(
  { clock, localOcr, ocrModel, stores }: Adapters,
  { chat, others }: { chat: ConfiguredModels; others: WorkspaceModels },
  config: Config,
): RecognitionService {
  const usesModels = config.ocr === 'auto' || config.ocr === 'model'
  const recogniser = async (workspaceId: string): Promise<TextRecogniser | undefined> => {
    if (usesModels && ocrModel) return visionRecogniser(ocrModel.connect(workspaceId))
    if (localOcr) return localOcr
    const model = usesModels ? await chat.findVision(workspaceId) : undefined
    return model && visionRecogniser(model)
  }
  const transcriber = async (workspaceId: string) => {
    const found = await others.transcriber(workspaceId)
    if (!found) return undefined
    const name = (await others.transcriptionName(workspaceId)) ?? config.transcribe?.model ?? ''
    return { id: `transcription ${name}`, transcriber: found }
  }
  return new RecognitionService({ recogniser, transcriber, cache: stores.recognisedTexts, clock })
}
