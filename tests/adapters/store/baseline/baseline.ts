/**
 * The data of the first release, as `make-baseline.js` made it: one file for SQLite and one for PostgreSQL, each
 * with a database, its artifacts, and what a release must tell of them. No file is ever made again.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { gunzipSync } from "node:zlib"
import type { DeliveryState, TaskState } from "@safelight/core"

export interface BaselineTask {
  readonly account: string
  readonly id: string
  readonly state: TaskState
  readonly chargeMicros: number
  /** Why it failed. */
  readonly error: string | null
  /** Their types. */
  readonly events: readonly string[]
  readonly artifacts: readonly {
    readonly key: string
    readonly sha256: string
    readonly locator: string
  }[]
}

export interface BaselineEndpoint {
  readonly account: string
  readonly id: string
  readonly secret: string
  readonly deliveries: readonly { readonly message: string; readonly state: DeliveryState }[]
}

export interface Baseline {
  /** When the database was copied. */
  readonly now: number
  /** API keys by what became of them, as their owners have them. */
  readonly keys: Readonly<
    Record<"active" | "revoked" | "expired" | "rotated" | "operator" | "successor", string>
  >
  readonly link: { readonly access: string; readonly task: string; readonly key: string }
  /** By the path of their URL. */
  readonly endpoints: Readonly<Record<"/takes" | "/fails" | "/gone" | "/off", BaselineEndpoint>>
  /** By what became of them. */
  readonly tasks: Readonly<Record<string, BaselineTask>>
  /** Files below the folder, in base64. */
  readonly artifacts: Readonly<Record<string, string>>
  /** A database file in base64, or the statements that make one. */
  readonly database?: string
  readonly sql?: string
}

export async function readBaseline(kind: "sqlite" | "postgres"): Promise<Baseline> {
  const packed = await readFile(join(import.meta.dirname, `${kind}.json.gz`))
  return JSON.parse(gunzipSync(packed).toString()) as Baseline
}

/** The artifacts, and the database if it is a file, below `folder`. */
export async function unpack(baseline: Baseline, folder: string): Promise<void> {
  const { artifacts, database } = baseline
  const files = { ...artifacts, ...(database !== undefined && { "safelight.db": database }) }
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, Buffer.from(content, "base64"))
  }
}
