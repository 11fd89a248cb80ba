/**
 * The definitions that tasks were accepted under, which outlast the files and settings that they came from: models
 * of files, and prices. They are only ever added to. Errors are those of `TaskStorage`.
 */
export interface DefinitionStorage {
  /** Keeps those that are not there yet; durable once resolved. Twice is the same as once. */
  keepDefinitions(definitions: readonly Definition[]): Promise<void>
  /** The one with this digest. */
  findDefinition(digest: string): Promise<Definition | undefined>
  /** All of a kind, in the order of their digests. */
  listDefinitions(kind: Definition["kind"]): Promise<readonly Definition[]>
}

export interface Definition {
  readonly kind: "model" | "price"
  /** SHA-256 of `body`, 64 lower-case hexadecimal digits. */
  readonly digest: string
  /** Canonical JSON: what a model's file says of its tasks (`model-file/definition.ts`), or a `PriceDefinition`. */
  readonly body: string
}
