/** A model that a workspace brought along. */
export interface ModelSettings {
  id: string
  /** What nodes and agents call it; there once in a workspace. */
  name: string
  baseUrl: string
  /** As the provider knows it. */
  model: string
  /** Undefined where the provider asks for none. */
  sealedKey: string | undefined
  /** One of a workspace at most. */
  isDefault: boolean
  maxTokens: number | undefined
  temperature: number | undefined
  /** Counts the changes: what was made of an older version is of no use any more. */
  version: number
  createdAt: number
  updatedAt: number
}

export type ModelChange = Partial<Omit<ModelSettings, 'id' | 'version' | 'createdAt' | 'updatedAt'>>

export interface ModelSettingsStore {
  /** A new default takes the place of the old one. With `if_none` it becomes the default where there is none. */
  create(
    workspaceId: string,
    settings: Omit<ModelSettings, 'isDefault'> & { isDefault: boolean | 'if_none' },
    options: { most: number },
  ): Promise<ModelSettings | 'name_taken' | 'too_many'>
  find(workspaceId: string, id: string): Promise<ModelSettings | undefined>
  findByName(workspaceId: string, name: string): Promise<ModelSettings | undefined>
  findDefault(workspaceId: string): Promise<ModelSettings | undefined>
  /** By name. */
  list(workspaceId: string): Promise<ModelSettings[]>
  /** `change` is made of the settings as they are then, and may be called again. */
  update(
    workspaceId: string,
    id: string,
    change: (settings: ModelSettings) => ModelChange,
    now: number,
  ): Promise<ModelSettings | 'name_taken' | undefined>
  remove(workspaceId: string, id: string): Promise<boolean>
}
