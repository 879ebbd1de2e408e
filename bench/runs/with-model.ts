import { startElsewhere } from '../other-process.ts'
import type { ModelJob } from './model-server.ts'

export interface Model {
  port: number
  /** The settings of a server that uses the provider. */
  environment: Record<string, string>
}

/** Runs a provider of a language model in a process of its own, as in production. */
export async function withModel<Result>(
  job: ModelJob,
  work: (model: Model) => Promise<Result>,
): Promise<Result> {
  const provider = await startElsewhere<ModelJob, { port: number }>('runs/model-server.ts', job)
  const { port } = provider.announcement
  try {
    return await work({
      port,
      environment: {
        MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`,
        MODEL_NAME: 'bench',
        EGRESS_ALLOW: `127.0.0.1:${port}`,
        // The demo would be ingested during the measurement.
        DEMO: 'off',
      },
    })
  } finally {
    await provider.stop()
  }
}
