import type { QuotaScope, QuotaService } from '../access/quota-service.ts'
import { storableName } from '../files/file-name.ts'
import type { FileService } from '../files/file-service.ts'
import type { NewFile } from '../nodes/node-services.ts'
import { runFileOf } from '../workflow/run/run-files.ts'
import type { RunFile } from '../workflow/step.ts'

/** Stores a file that a node received, within the limits of the workspace. */
export async function storeFile(
  files: FileService,
  quotas: Pick<QuotaService, 'refuseLarger' | 'within'>,
  scope: QuotaScope,
  { name, bytes }: NewFile,
): Promise<RunFile> {
  await quotas.refuseLarger(scope, bytes.length)
  const blob = await files.receive(
    (async function* () {
      yield bytes
    })(),
  )
  await files.repair(scope.workspaceId, blob)
  const stored = await quotas.within(scope, ['storageBytes'], () =>
    files.add(scope.workspaceId, storableName(name), blob),
  )
  return runFileOf(stored)
}
